// Copies the address of this page with the parameters that it is given; where the browser refuses, as it does
// on pages of other machines without https, it shows the address to be copied by hand.
export default function ({ parentElement, data }) {
  const button = parentElement.querySelector("button")
  button.onclick = async () => {
    const address = new URL(window.location.pathname, window.location.origin)
    address.search = data.query
    try {
      await navigator.clipboard.writeText(address.href)
      button.textContent = "Copied"
      setTimeout(() => { button.textContent = "Copy link" }, 2000)
    } catch {
      window.prompt("Copy this link:", address.href)
    }
  }
}
