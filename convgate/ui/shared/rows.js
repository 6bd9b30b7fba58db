// One turn as a row of the transcript: made once, filled again when its data changes.

const MARKS = { relevant: "✓", not_relevant: "✕", unsure: "?" }
const CALLED = { relevant: "relevant", not_relevant: "not relevant", unsure: "unsure" }

class Rows {
  row(data) {
    let row = this.rows.get(data.turn)
    if (!row) this.rows.set(data.turn, (row = this.made(data.turn)))
    const told = JSON.stringify([data, this.data.threshold, this.labelled(data), this.data.labelling?.enabled])
    if (row.told !== told) {
      row.told = told
      this.fill(row, data)
      row.element.classList.toggle("changed", this.fresh.has(data.turn))
    }
    const selected = this.answers.length ? this.roving : this.data.selected
    row.element.setAttribute("aria-selected", String(data.turn === selected))
    return row.element
  }

  made(turn) {
    const element = make("div", "row")
    element.setAttribute("role", "row")
    element.dataset.turn = turn
    const number = make("div", "number", element)
    const score = make("div", "score", element)
    const body = make("div", "body", element)
    for (const cell of [number, score, body]) cell.setAttribute("role", "gridcell")
    const row = { element, number: make("span", "", number), flip: make("span", "flip", number) }
    row.track = make("div", "track", score)
    row.bar = make("div", "fill", row.track)
    row.tick = make("div", "tick", row.track)
    row.outcome = make("span", "outcome", score)
    const head = make("div", "head", body)
    row.who = make("span", "who", head)
    row.when = make("span", "when", head)
    row.mode = make("span", "mode", head)
    row.columns = make("span", "columns", head)
    row.theirs = make("span", "theirs", head)
    row.next = make("span", "next", head)
    row.choices = make("span", "choices", head)
    for (const [key, value] of Object.entries(ANSWERS)) {
      if (value === null) continue
      const button = make("button", `choice ${value}`, row.choices)
      button.type = "button"
      button.tabIndex = -1
      button.textContent = MARKS[value]
      button.title = `${CALLED[value]} (${key})`
      button.setAttribute("aria-label", CALLED[value])
      button.dataset.value = value
    }
    row.text = make("div", "text", body)
    row.text.dir = "auto"
    const foot = (row.foot = make("div", "foot", body))
    row.reason = make("span", "reason", foot)
    row.answer = make("button", "answer", foot)
    row.more = make("button", "more", foot)
    row.answer.textContent = "make current"
    row.answer.title = "Decide as if this were the message to answer (M)"
    for (const button of [row.more, row.answer]) {
      button.type = "button"
      button.tabIndex = -1
    }
    return row
  }

  fill(row, data) {
    const { element } = row
    const isOpen = this.open.has(data.turn)
    const isStrip = this.data.strip
    const isLine = isStrip && ["dropped", "cut", "later"].includes(data.state)
    const isFull = isStrip && ["kept", "forced"].includes(data.state)
    element.className = `row ${data.state}${isOpen ? " open" : ""}${isLine ? " line" : ""}${isFull ? " full" : ""}`
    if (data.turn >= 0) element.setAttribute("aria-rowindex", String(data.turn + 1))
    row.number.textContent = data.turn >= 0 ? String(data.turn + 1) : data.state === "sent" ? "+" : "?"
    row.flip.textContent = data.flip === "up" ? "↑" : data.flip === "down" ? "↓" : ""
    row.flip.title = data.flip === "up" ? "kept now, dropped by the gate's own rule" : "dropped now, kept by the gate's own rule"
    row.track.hidden = data.bar === null
    row.track.style.display = data.bar === null ? "none" : ""
    row.bar.style.width = `${100 * (data.bar ?? 0)}%`
    row.tick.style.left = `${100 * (this.data.threshold ?? 0)}%`
    row.tick.style.display = this.data.threshold === null ? "none" : ""
    row.outcome.replaceChildren()
    make("b", "", row.outcome).textContent = data.score
    row.outcome.append(`${data.score ? " " : ""}${data.outcome}`)
    row.who.textContent = data.who
    row.when.textContent = data.when
    row.when.title = data.exact
    row.mode.textContent = data.mode
    row.mode.hidden = !data.mode
    element.classList.toggle("aimed", data.aimed)
    row.next.textContent = data.aimed ? "gets the next answer" : ""
    row.next.hidden = !row.next.textContent
    this.fillAnswers(row, data)
    row.columns.replaceChildren()
    for (const [label, value] of data.columns) {
      make("span", "column", row.columns).textContent = `${label.toLowerCase()} ${value}`
    }
    const isBlank = data.text === "" && !data.code
    row.text.classList.toggle("blank", isBlank)
    if (isBlank) row.text.textContent = "no text"
    else if (data.state === "sent") row.text.textContent = data.text
    else drawMarkdown(row.text, data.text)
    if (data.code) make("pre", "md-code", row.text).textContent = data.code
    markPassage(row.text, data.passage)
    markWords(row.text, data.words, data.whole)
    row.reason.textContent = data.reason
    row.reason.title = data.reason
    const isLong = data.text.length + data.code.length > 200 || data.text.split("\n").length > 3 || data.code !== ""
    row.more.hidden = !(data.cut || (isOpen && isFull) || (isLong && !isFull))
    row.foot.hidden = row.more.hidden && !data.reason
    row.more.textContent = isOpen ? "less" : "more"
    row.more.setAttribute("aria-expanded", String(isOpen))
    row.answer.hidden = this.data.fixed || ["current", "sent"].includes(data.state) || data.turn < 0
  }

  fillAnswers(row, data) {
    const mine = this.labelled(data)
    row.choices.hidden = !this.data.labelling || !data.open
    row.choices.classList.toggle("shown", Boolean(this.data.labelling?.enabled))
    for (const button of row.choices.children) {
      const isMine = button.dataset.value === mine
      button.setAttribute("aria-pressed", String(isMine))
      button.hidden = !isMine && !this.data.labelling?.enabled
    }
    row.theirs.hidden = !data.theirs.length
    row.theirs.textContent = data.theirs.map(([who, value]) => `${who} ${MARKS[value] ?? ""}`).join(" · ")
  }

  toggle(turn) {
    const row = this.rows.get(turn)
    const data = this.data.rows.find((candidate) => candidate.turn === turn)
    if (!row || !data || row.more.hidden) return
    if (this.open.has(turn)) this.open.delete(turn)
    else this.open.add(turn)
    this.fill(row, data)
    if (data.cut && this.open.has(turn)) this.ask("read", turn)
  }
}
