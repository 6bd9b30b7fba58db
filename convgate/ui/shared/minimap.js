// All turns of the conversation in small: the score as a bar, kept ones in colour; a click goes there.

const DRAWN = { d: "dropped", l: "hair", k: "kept", f: "forced" } // later ones are drawn above earlier ones

class Minimap {
  constructor(canvas, go) {
    this.canvas = canvas
    canvas.onclick = (event) => go(this.turn(event))
    canvas.onmousemove = (event) => {
      const turn = this.turn(event)
      canvas.title = `Turn ${turn + 1}: ${(this.map.bars[turn] / 100).toFixed(2)}`
    }
  }

  turn(event) {
    const { top, height } = this.canvas.getBoundingClientRect()
    const count = this.map.states.length
    return Math.max(0, Math.min(count - 1, Math.floor(((event.clientY - top) / height) * count)))
  }

  // marks: turns with a line of their own; seen: first and last turn in sight.
  draw(map, { threshold, current, selected, seen }) {
    this.map = map
    this.canvas.hidden = !map
    if (!map) return
    const { clientWidth: width, clientHeight: height } = this.canvas
    const scale = window.devicePixelRatio || 1
    this.canvas.width = width * scale
    this.canvas.height = height * scale
    const context = this.canvas.getContext("2d")
    context.scale(scale, scale)
    const style = getComputedStyle(this.canvas)
    const colour = (name) => style.getPropertyValue(`--${name}`).trim() || style.color
    const count = map.states.length
    const step = height / count
    const bar = Math.max(1, Math.min(5, step - 1))
    const left = 6
    const room = width - left - 2
    if (seen) {
      context.globalAlpha = 0.09
      context.fillStyle = style.color
      context.fillRect(0, seen[0] * step, width, Math.max(3, (seen[1] + 1 - seen[0]) * step))
      context.globalAlpha = 1
    }
    for (const [letter, name] of Object.entries(DRAWN)) {
      context.fillStyle = colour(name)
      for (let turn = 0; turn < count; turn++) {
        if (map.states[turn] !== letter) continue
        const length = Math.max(2, (room * map.bars[turn]) / 100)
        context.fillRect(left, turn * step + (step - bar) / 2, length, bar)
      }
    }
    if (threshold !== null && threshold !== undefined) {
      context.strokeStyle = colour("threshold")
      context.setLineDash([3, 3])
      context.beginPath()
      context.moveTo(left + room * threshold, 0)
      context.lineTo(left + room * threshold, height)
      context.stroke()
    }
    context.fillStyle = style.color
    for (const turn of [selected, current]) {
      if (turn === null || turn < 0) continue
      context.fillRect(0, Math.min(height - 2, (turn + 0.5) * step - 1), turn === current ? width : 4, 2)
    }
  }
}
