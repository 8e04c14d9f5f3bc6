/** Copy and paste, also on pages without TLS, where browsers give no clipboard object. */

/** The last text copied here: all that quick paste has when the clipboard may not be read. */
let lastCopied = ''

/** Puts text on the clipboard; call it in answer to something the person did. */
export async function copyText(text: string): Promise<void> {
  lastCopied = text
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    copyByEvent(text)
  }
}

function copyByEvent(text: string): void {
  const fill = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
    event.stopImmediatePropagation()
  }
  document.addEventListener('copy', fill, { capture: true, once: true })
  // The only way on plain http; it is called old, but every browser has it.
  document.execCommand('copy')
  document.removeEventListener('copy', fill, { capture: true })
}

/** The text on the clipboard, or what was copied here last when the browser does not tell. */
export async function pasteText(): Promise<string> {
  try {
    return await navigator.clipboard.readText()
  } catch {
    return lastCopied
  }
}
