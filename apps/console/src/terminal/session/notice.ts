/** A line of our own in the terminal; it is not part of the session and in no recording. */
export function notice(text: string): string {
  return `\r\n\x1b[0;33m${text.replaceAll('\n', '\r\n')}\x1b[0m\r\n`
}
