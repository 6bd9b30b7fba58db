// A text with line numbers. What a person types stays on the screen; the page learns it after a short rest.
// Problems quote the text, so they enter the page as text, never as HTML.

const REST = 350 // milliseconds without a key before the text is sent
const editors = new WeakMap()

export default function (component) {
  const { data, parentElement, setStateValue, setTriggerValue } = component
  let editor = editors.get(parentElement)
  if (!editor) editors.set(parentElement, (editor = new Editor(parentElement)))
  editor.send = (value) => setStateValue("typed", value)
  editor.save = (value) => setTriggerValue("save", value)
  editor.draw(data)
  return () => {
    clearTimeout(editor.resting)
    window.removeEventListener("beforeunload", editor.leaving)
    editors.delete(parentElement)
  }
}

class Editor {
  constructor(parent) {
    this.text = parent.querySelector("textarea")
    this.lines = parent.querySelector(".lines")
    this.problems = parent.querySelector(".problems")
    this.text.oninput = () => this.changed()
    this.text.onblur = () => this.flush()
    this.text.onscroll = () => (this.lines.scrollTop = this.text.scrollTop)
    this.text.onkeydown = (event) => this.pressed(event)
    this.bad = new Set()
    this.leaving = (event) => (this.changedText || this.unsent) && event.preventDefault()
    window.addEventListener("beforeunload", this.leaving)
  }

  draw(data) {
    if (data.revision !== this.revision) {
      const isFirst = this.revision === undefined
      this.revision = data.revision
      clearTimeout(this.resting)
      this.unsent = false
      this.text.value = data.text
      if (!isFirst && data.reveal) this.show(data.reveal)
    }
    this.changedText = data.changed
    this.text.readOnly = data.locked
    this.text.setAttribute("aria-label", data.label)
    this.text.setAttribute("aria-invalid", String(data.problems.length > 0))
    this.bad = new Set(data.problems.map(([line]) => line))
    this.number()
    const told = JSON.stringify(data.problems)
    if (told === this.told) return // a reader of the screen hears them once
    this.told = told
    this.problems.replaceChildren(...data.problems.map(([line, sentence]) => this.problem(line, sentence)))
  }

  problem(line, sentence) {
    const item = document.createElement("li")
    if (line !== null) {
      const button = document.createElement("button")
      button.type = "button"
      button.textContent = `Line ${line}`
      button.onclick = () => {
        this.text.focus()
        this.show(line)
      }
      item.append(button)
    }
    item.append(sentence)
    return item
  }

  number() {
    const count = this.text.value.split("\n").length
    const told = `${count} ${[...this.bad].join()}`
    if (told === this.numbered) return
    this.numbered = told
    const numbers = []
    for (let line = 1; line <= count; line++) {
      const number = document.createElement("span")
      number.textContent = line
      if (this.bad.has(line)) number.className = "bad"
      numbers.push(number)
    }
    this.lines.replaceChildren(...numbers)
    this.lines.scrollTop = this.text.scrollTop
  }

  changed() {
    this.number()
    this.unsent = true
    clearTimeout(this.resting)
    this.resting = setTimeout(() => this.flush(), REST)
  }

  flush() {
    clearTimeout(this.resting)
    if (!this.unsent) return
    this.unsent = false
    this.send(this.value())
  }

  value() {
    return { text: this.text.value, revision: this.revision }
  }

  pressed(event) {
    const isControl = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey
    if (isControl && event.key.toLowerCase() === "s") {
      event.preventDefault()
      event.stopPropagation()
      clearTimeout(this.resting)
      this.unsent = false
      this.save(this.value())
    } else if (event.key === "Enter" && !isControl && !event.shiftKey && !this.text.readOnly) {
      const { value, selectionStart } = this.text
      const line = value.slice(value.lastIndexOf("\n", selectionStart - 1) + 1, selectionStart)
      const indent = line.match(/^ *(?:- )?/)[0].replace("-", " ")
      if (!indent) return
      event.preventDefault()
      document.execCommand("insertText", false, `\n${indent}`) // unlike setRangeText it can be undone
    }
  }

  show(line) {
    const lines = this.text.value.split("\n")
    const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0)
    this.text.setSelectionRange(start, start + (lines[line - 1] ?? "").length)
    const height = this.text.scrollHeight / Math.max(1, lines.length)
    this.text.scrollTop = Math.max(0, (line - 4) * height)
    this.text.scrollLeft = 0
  }
}
