// Markdown of a turn as nodes. Everything enters as text: no HTML, no links, nothing that can be followed.

const FENCE = /^\s{0,3}(```+|~~~+)/
const HEADING = /^#{1,6}\s+(.*)$/
const ITEM = /^(\s{0,12})([-*+]|\d{1,3}[.)])\s+(.*)$/
const INDENTED = /^(?: {4}|\t)/m // code, also without a fence
const BLANK = /\n\s*\n(?=\S)/ // between paragraphs; code goes on behind an indented line
const INLINE = /`([^`\n]{1,500})`|\*\*([^*\n]{1,500})\*\*|__([^_\n]{1,500})__|\*([^\s*][^*\n]{0,300})\*|(?<!\w)_([^\s_][^_\n]{0,300})_(?!\w)/g

function drawMarkdown(element, text) {
  element.replaceChildren()
  const lines = text.split("\n")
  let words = []
  const flush = () => {
    const text = words.join("\n").replace(/^\n+|\n+$/g, "")
    const isOfItem = element.lastChild?.className === "md-item" && INDENTED.test(text.split("\n")[0])
    for (const part of isOfItem || !INDENTED.test(text) ? [text] : text.split(BLANK)) {
      if (!isOfItem && INDENTED.test(part)) make("pre", "md-code", element).textContent = part
      else if (part) drawInline(make("div", "md-text", element), part)
    }
    words = []
  }
  for (let i = 0; i < lines.length; i++) {
    const fence = lines[i].match(FENCE)?.[1]
    const heading = lines[i].match(HEADING)
    const item = lines[i].match(ITEM)
    if (!fence && !heading && !item) {
      words.push(lines[i])
      continue
    }
    flush()
    if (fence) {
      const first = i + 1
      while (i + 1 < lines.length && !lines[i + 1].trim().startsWith(fence)) i++
      make("pre", "md-code", element).textContent = lines.slice(first, i + 1).join("\n")
      i++
    } else if (heading) {
      drawInline(make("div", "md-heading", element), heading[1])
    } else {
      const line = make("div", "md-item", element)
      line.style.setProperty("--depth", Math.floor(item[1].length / 2))
      make("span", "md-marker", line).textContent = `${/\d/.test(item[2]) ? item[2] : "•"} `
      drawInline(make("span", "", line), item[3])
    }
  }
  flush()
}

function drawInline(element, text) {
  let end = 0
  for (const match of text.matchAll(INLINE)) {
    const [whole, code, strong, strong2, em, em2] = match
    element.append(text.slice(end, match.index))
    const tag = code !== undefined ? "code" : (strong ?? strong2) !== undefined ? "strong" : "em"
    make(tag, "", element).textContent = code ?? strong ?? strong2 ?? em ?? em2
    end = match.index + whole.length
  }
  element.append(text.slice(end))
}

function textNodes(element) {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const nodes = []
  while (walker.nextNode()) nodes.push(walker.currentNode)
  return nodes
}

function markWords(element, words, isWhole) {
  if (!words.length) return
  const escaped = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
  const [before, after] = isWhole ? ["(?<![\\p{L}\\p{N}_])", "(?![\\p{L}\\p{N}_])"] : ["", ""]
  const pattern = new RegExp(`${before}(${escaped.join("|")})${after}`, "iu")
  for (const node of textNodes(element)) {
    const pieces = node.data.split(pattern)
    if (pieces.length < 2) continue
    node.replaceWith(...pieces.map((piece, i) => (i % 2 ? marked("mark", "", piece) : piece)))
  }
}

// A passage is found by its letters and digits alone, since Markdown and line breaks stand between them.
function markPassage(element, passage) {
  const wanted = [...passage].filter(isLetter).join("")
  if (!wanted) return
  const nodes = textNodes(element)
  const places = []
  let text = ""
  for (const node of nodes) {
    for (let i = 0; i < node.data.length; i++) {
      if (!isLetter(node.data[i])) continue
      text += node.data[i]
      places.push([node, i])
    }
  }
  const start = text.indexOf(wanted.slice(0, 2000))
  if (start < 0) return
  const [first, from] = places[start]
  const [last, to] = places[Math.min(places.length, start + wanted.length) - 1]
  for (const node of nodes.slice(nodes.indexOf(first), nodes.indexOf(last) + 1)) {
    const [low, high] = [node === first ? from : 0, node === last ? to + 1 : node.data.length]
    const { data } = node
    node.replaceWith(data.slice(0, low), marked("span", "passage", data.slice(low, high)), data.slice(high))
  }
}

const isLetter = (character) => /[\p{L}\p{N}]/u.test(character)

function marked(tag, className, text) {
  const element = make(tag, className)
  element.textContent = text
  return element
}

function make(tag, className, parent) {
  const element = document.createElement(tag)
  if (className) element.className = className
  parent?.append(element)
  return element
}
