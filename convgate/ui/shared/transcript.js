// The transcript as a list that stays quick with hundreds of rows: one element for Streamlit, rows that the
// browser draws only when they are near. Whatever a transcript says enters the page as text, never as HTML.

const COLOURS = ["kept", "threshold", "forced", "tier2", "tier1", "flipped", "dropped"]
const ANSWERS = { 1: "relevant", 2: "not_relevant", 3: "unsure", 0: null } // by key
const ACTIONS = "zyl" // undo, redo, later: keys of buttons, which wait in the same line
const PATIENCE = 15_000 // milliseconds; a key that waited longer was meant for something else
const FOLDED_AFTER = 2_500 // milliseconds
const lists = new WeakMap()

export default function (component) {
  const { data, parentElement, setTriggerValue } = component
  let list = lists.get(parentElement)
  if (!list) lists.set(parentElement, (list = new Transcript(parentElement)))
  list.ask = (what, turn) => setTriggerValue("asked", { what, turn })
  list.send = (answers) => setTriggerValue("answers", answers)
  list.draw(data)
  return () => {
    clearTimeout(list.waiting)
    clearTimeout(list.folding)
    clearTimeout(list.sending)
    clearTimeout(list.acting)
    window.removeEventListener("keydown", list.keys, true)
    window.removeEventListener("resize", list.resized)
    list.above.disconnect()
    lists.delete(parentElement)
  }
}

class Transcript extends Rows {
  constructor(parent) {
    super()
    this.root = parent.querySelector(".transcript")
    this.scroller = parent.querySelector(".scroller")
    this.grid = parent.querySelector(".rows")
    this.rows = new Map() // by turn
    this.open = new Set() // turns that are shown in full
    this.older = parent.querySelector(".older")
    this.newer = parent.querySelector(".newer")
    this.older.onclick = () => this.ask("show", this.data.rows[0].turn - 1)
    this.newer.onclick = () => this.ask("show", this.data.rows.at(-1).turn + 1)
    this.unfolded = new Set() // first turns of runs that are open
    this.states = new Map() // by turn, as drawn last
    this.fresh = new Set() // turns that just flipped: they are shown, whatever run they are in
    this.minimap = new Minimap(parent.querySelector(".minimap"), (turn) => this.go(turn))
    this.resized = () => {
      this.measure()
      if (this.held !== undefined) this.reveal(this.held, true)
    }
    for (const event of ["wheel", "pointerdown", "touchstart", "keydown"]) {
      parent.querySelector(".transcript").addEventListener(event, () => (this.held = undefined), { passive: true })
    }
    window.addEventListener("resize", this.resized)
    this.above = new ResizeObserver(this.resized)
    const page = document.querySelector('[data-testid="stMainBlockContainer"]')
    if (page) this.above.observe(page)
    this.above.observe(this.grid) // rows that were never drawn have only a guessed height
    this.scroller.onscroll = () => requestAnimationFrame(() => this.drawMinimap())
    this.grid.onclick = (event) => this.clicked(event)
    this.grid.onkeydown = (event) => this.pressed(event)
    this.answers = [] // given, and not yet known to be stored; sent until they are
    this.client = Math.random().toString(36).slice(2)
    this.given = 0
    this.pressedKeys = [] // that wait for their question
    this.acting = 0
    // Before Streamlit's own shortcuts, which lose a key that is pressed while the page is drawn.
    this.keys = (event) => this.key(event)
    window.addEventListener("keydown", this.keys, true)
  }

  draw(data) {
    this.colour()
    const elsewhere = this.place !== data.place
    if (elsewhere) {
      this.rows.clear()
      this.open.clear()
      this.unfolded.clear()
      this.states.clear()
      this.order = null
      this.chosen = undefined
    }
    const begins = elsewhere || data.message !== this.message
    const anchor = begins ? null : this.anchor()
    this.data = data
    this.place = data.place
    this.stored()
    for (const name of ["selected", "focus"]) {
      const at = `${data[name]} ${data.fixed ? this.foldOf(data[name])?.first : ""}`
      if (at !== this[`${name}Before`]) this.unfold(data[name])
      this[`${name}Before`] = at
    }
    this.flipped(data)
    this.root.classList.toggle("strip", data.strip)
    this.grid.setAttribute("aria-label", data.label)
    this.grid.setAttribute("aria-rowcount", String(data.count))
    this.measure()
    const elements = this.elements()
    if (elements.length !== this.grid.children.length || elements.some((element, i) => element !== this.grid.children[i])) {
      this.grid.replaceChildren(...elements)
    }
    this.edge(this.older, data.older, "older")
    this.edge(this.newer, data.newer, "newer")
    if (!this.answers.length) {
      const isFocused = this.grid.contains(this.root.getRootNode().activeElement)
      this.rove(data.selected ?? data.current)
      if (isFocused) this.rows.get(this.roving)?.element.focus({ preventScroll: true })
    }
    if (anchor) this.scroller.scrollTop += this.top(anchor.row) - anchor.top
    if (data.focus !== this.focus || begins) {
      this.focus = data.focus
      this.held = begins ? data.focus : undefined // in sight until a person scrolls
      if (this.chosen !== data.focus) this.reveal(data.focus, begins)
    }
    this.resend()
    this.settled()
    requestAnimationFrame(() => this.drawMinimap())
  }

  // Rows and, in place of those of a folded run, its line.
  elements() {
    const folds = [...this.data.folds]
    const elements = []
    this.order = []
    for (const data of this.data.rows) {
      while (folds.length && data.turn > folds[0].last) folds.shift()
      const fold = folds[0] && data.turn >= folds[0].first ? folds[0] : null
      if (fold && data.turn === fold.first) elements.push(this.fold(fold))
      if (fold && !this.isOpen(fold) && (this.data.fixed || !this.fresh.has(data.turn))) continue
      elements.push(this.row(data))
      this.order.push(data.turn)
    }
    return elements
  }

  // Turns flip in place; those of a run, not of a part, are folded after a moment. Another message is no flip.
  flipped(data) {
    if (data.message !== this.message) {
      this.states.clear()
      this.fresh.clear()
    }
    this.message = data.message
    const fresh = data.rows.filter(({ turn, state }) => (this.states.get(turn) ?? state) !== state)
    for (const { turn, state } of data.rows) this.states.set(turn, state)
    if (!fresh.length) return
    this.fresh = new Set(fresh.map(({ turn }) => turn))
    clearTimeout(this.folding)
    this.folding = setTimeout(() => {
      this.fresh.clear()
      this.draw(this.data)
    }, FOLDED_AFTER)
  }

  fold(fold) {
    const key = `fold ${fold.first}`
    let row = this.rows.get(key)
    if (!row) {
      const element = make("button", "fold")
      element.type = "button"
      this.rows.set(key, (row = { element }))
    }
    const isOpen = this.isOpen(fold)
    row.element.className = `fold ${fold.state}${fold.note ? " part" : ""}`
    row.element.textContent = `${isOpen ? "▾" : "▸"} ${fold.label}`
    if (fold.note) make("span", "note", row.element).textContent = fold.note
    row.element.setAttribute("aria-expanded", String(isOpen))
    row.element.onclick = () => {
      this.toggleFold(fold)
      this.draw(this.data)
    }
    return row.element
  }

  // A fold is closed at first, unless it says that it is open.
  isOpen(fold) {
    return this.unfolded.has(fold.first) !== Boolean(fold.open)
  }

  toggleFold(fold) {
    if (!this.unfolded.delete(fold.first)) this.unfolded.add(fold.first)
  }

  foldOf(turn) {
    return this.data.folds.find(({ first, last }) => first <= turn && turn <= last)
  }

  unfold(turn) {
    const fold = this.foldOf(turn)
    if (fold && !this.isOpen(fold)) this.toggleFold(fold)
  }

  go(turn) {
    if (!this.data.rows.some((row) => row.turn === turn)) return this.ask("show", turn)
    this.unfold(turn)
    this.draw(this.data)
    this.reveal(turn, true)
  }

  // A strip reaches to the end of the window, whatever stands above it; "fill 100" leaves 100 px below it.
  measure() {
    if (!this.data) return
    const top = this.scroller.getBoundingClientRect().top + (document.querySelector('[data-testid="stMain"]')?.scrollTop ?? 0)
    const [fill, below] = this.data.height.split(" ")
    const isFilling = fill === "fill" && (innerWidth > 640 || below)
    const filled = Math.max(below ? 160 : 280, innerHeight - top - (below ?? 14))
    const height = isFilling ? `${filled}px` : fill === "fill" ? "55vh" : this.data.height
    this.root.style.setProperty("--height", height)
    this.root.classList.toggle("filling", isFilling)
    this.drawMinimap()
  }

  drawMinimap() {
    if (!this.data || !this.order) return
    const { scrollTop, clientHeight } = this.scroller
    const shown = this.order.filter((turn) => {
      const { offsetTop, offsetHeight } = this.rows.get(turn).element
      return offsetTop + offsetHeight > scrollTop && offsetTop < scrollTop + clientHeight
    })
    const { map, threshold, current, selected } = this.data
    this.minimap.draw(map, { threshold, current, selected, seen: shown.length ? [shown[0], shown.at(-1)] : null })
  }

  // ---- what a person does

  clicked(event) {
    const element = event.target.closest(".row")
    if (!element) return
    const turn = Number(element.dataset.turn)
    const choice = event.target.closest(".choice")
    if (choice && this.data.labelling?.enabled) {
      this.label(turn, choice.getAttribute("aria-pressed") === "true" ? null : choice.dataset.value)
    } else if (event.target.closest(".more")) this.toggle(turn)
    else if (event.target.closest(".answer")) this.ask("answer", turn)
    else if (getSelection().isCollapsed) this.choose(turn, 0)
  }

  pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const here = this.order.indexOf(this.roving)
    const page = 8
    const moves = {
      ArrowUp: here - 1, ArrowDown: here + 1, PageUp: here - page, PageDown: here + page,
      Home: 0, End: this.order.length - 1,
    }
    if (event.key in moves) {
      event.preventDefault()
      const to = this.order[Math.min(this.order.length - 1, Math.max(0, moves[event.key]))]
      this.rove(to)
      this.rows.get(to).element.focus({ preventScroll: true })
      this.reveal(to)
      this.choose(to, 160) // a held key passes many turns; only where it rests is explained
    } else if (event.key === "Enter" || event.key === " ") {
      if (event.target.tagName === "BUTTON") return
      event.preventDefault()
      this.toggle(this.roving)
    }
  }

  choose(turn, delay) {
    if (turn < 0) return
    this.rove(turn)
    for (const [other, row] of this.rows) row.element.setAttribute("aria-selected", String(other === turn))
    this.chosen = this.data.selected = turn // the server may draw the explanation alone
    this.drawMinimap()
    clearTimeout(this.waiting)
    this.waiting = setTimeout(() => this.ask("select", turn), delay)
  }

  // ---- answers: shown at once, and sent again until the server says that they are stored

  key(event) {
    if ((event.key === "Enter" || event.key === "Escape") && this.root.isConnected) leaveNote(event.composedPath()[0])
    if (!this.data?.labelling?.enabled || !this.root.isConnected || event === this.passed) return
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.repeat) return
    if (!/^[a-z0-9]$/i.test(event.key) || document.querySelector('[role="dialog"]')) return
    if (event.composedPath().some(takesText)) return
    const key = event.key.toLowerCase()
    const isOurs = key in ANSWERS || ACTIONS.includes(key)
    if (!isOurs && event.composedPath()[0].tagName !== "INPUT") return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (isOurs) this.pressedKeys.push({ key, code: event.code, at: Date.now() })
    else this.pass(event) // Streamlit takes no shortcut while a switch has the focus, which wants no letters
    this.work()
  }

  // One key after the other, each for the question that stands there: the next one waits for its question.
  work() {
    if (this.answers.length || this.acting || !this.data?.labelling?.enabled) return
    const next = this.pressedKeys.shift()
    if (!next) return
    if (Date.now() - next.at < PATIENCE) {
      if (next.key in ANSWERS) this.label(this.roving, ANSWERS[next.key])
      else {
        this.acting = setTimeout(() => this.settled(), 1500) // a key that leads to nothing draws nothing
        this.pass(next)
      }
    }
    this.work()
  }

  settled() {
    clearTimeout(this.acting)
    this.acting = 0
    this.work()
  }

  pass({ key, code }) {
    this.passed = new KeyboardEvent("keydown", { key, code, bubbles: true, composed: true })
    document.body.dispatchEvent(this.passed)
  }

  label(turn, value) {
    const { current, scope } = this.data.labelling
    const data = this.data.rows.find((row) => row.turn === turn)
    if (!data?.open) return
    clearTimeout(this.waiting) // a selection that was on its way would undo the step to the next turn
    this.given += 1
    this.answers.push({ number: this.given, current, turn, value, scope })
    this.row(data)
    this.send({ client: this.client, answers: this.answers })
  }

  // What this person says of a turn: what was just given, else what is stored.
  labelled(data) {
    const given = this.answers.filter((answer) => answer.turn === data.turn && answer.scope === "turn").at(-1)
    return given && given.current === this.data.labelling?.current ? given.value : data.mine
  }

  stored() {
    const { labelling } = this.data
    if (!labelling || labelling.client !== this.client) return
    this.answers = this.answers.filter((answer) => answer.number > labelling.stored)
  }

  resend() {
    clearTimeout(this.sending)
    if (!this.answers.length) return
    this.sending = setTimeout(() => this.send({ client: this.client, answers: this.answers }), 300)
  }

  // ---- place

  rove(turn) {
    const to = this.rows.has(turn) && this.order.includes(turn) ? turn : this.order[0]
    this.rows.get(this.roving)?.element.setAttribute("tabindex", "-1")
    this.roving = to
    for (const row of this.rows.values()) if (!row.element.hasAttribute("tabindex")) row.element.tabIndex = -1
    this.rows.get(to)?.element.setAttribute("tabindex", "0")
  }

  top(row) {
    return row.element.offsetTop - this.scroller.scrollTop
  }

  anchor() {
    if (!this.order) return null
    for (const turn of this.order) {
      const row = this.rows.get(turn)
      const top = this.top(row)
      if (top + row.element.offsetHeight > 0) return { row, top }
    }
    return null
  }

  // Scrolls the list alone, never the page, and only when the row is not in sight.
  reveal(turn, always = false) {
    const show = () => {
      const row = this.rows.get(turn)
      if (!row || !row.element.isConnected) return
      const { clientHeight, scrollTop } = this.scroller
      const { offsetTop, offsetHeight } = row.element
      if (always || offsetTop < scrollTop + 8 || offsetTop + offsetHeight > scrollTop + clientHeight - 8) {
        this.scroller.scrollTop = offsetTop - Math.max(0, (clientHeight - offsetHeight) / 2)
      }
    }
    show()
    requestAnimationFrame(show) // rows that were never drawn have only a guessed height
  }

  edge(button, count, which) {
    button.hidden = count === 0
    button.textContent = `${count.toLocaleString("en")} ${which} turn${count === 1 ? "" : "s"} …`
  }

  colour() {
    const host = this.root.getRootNode().host ?? this.root
    const palette = getComputedStyle(host).getPropertyValue("--st-chart-categorical-colors").split(",")
    COLOURS.forEach((name, i) => this.root.style.setProperty(`--${name}`, (palette[i] ?? "").trim()))
  }
}

// What was noted is kept, and the next key is an answer again.
function leaveNote(field) {
  if (field.closest?.('[class*="st-key-label-note"]')) setTimeout(() => field.blur())
}

function takesText(node) {
  if (node.tagName === "INPUT") return !["radio", "checkbox", "range", "button", "submit"].includes(node.type)
  return node.tagName === "TEXTAREA" || node.tagName === "SELECT" || node.isContentEditable === true
}
