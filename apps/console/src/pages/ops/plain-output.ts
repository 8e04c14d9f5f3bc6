// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colors start with the escape character
const COLORS = /\x1b\[[0-9;?]*[A-Za-z]/g

/**
 * Output written for a terminal as plain text: colors left out, CR LF as line ends, a lone CR
 * starts the line over.
 */
export function plainOutput(output: string): string {
  return output
    .replace(COLORS, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n')
}
