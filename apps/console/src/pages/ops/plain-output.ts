// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours start with the escape character
const COLOURS = /\x1b\[[0-9;?]*[A-Za-z]/g

/**
 * Output written for a terminal as plain text: colours left out, CR LF as line ends, a lone CR
 * starts the line over.
 */
export function plainOutput(output: string): string {
  return output
    .replace(COLOURS, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf('\r') + 1))
    .join('\n')
}
