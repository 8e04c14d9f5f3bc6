/** Hands a file to the browser, as if a link to it had been followed. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  document.body.append(link)
  link.click()
  link.remove()
  // The browser has taken it over by the next turn at the latest; a minute is for slow ones that
  // ask where to put it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
