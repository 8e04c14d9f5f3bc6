/**
 * Characters of a command's output that are stored (docs/rules/gateway.md#command_parsing).
 */
export const OUTPUT_MAX = 1024

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal sequences are made of them
const SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[()*+\-./#%].|.)/gs
// biome-ignore lint/suspicious/noControlCharactersInRegex: what full-screen programs draw
const SECOND_SCREEN = /\x1b\[\?(1049|1047|47)h.*?(?:\x1b\[\?\1l|$)/gs
// biome-ignore lint/suspicious/noControlCharactersInRegex: all but tab and line feed
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f]/g
/**
 * Text of a line before the cursor returned to its start: progress bars, and zsh's mark for a
 * missing line end.
 */
const OVERWRITTEN = /^[^\n]*\r/gm

/**
 * The plain text of an output without the next prompt: at most 1024 characters, cut at the end of a
 * line.
 */
export function excerpt(output: string): string {
  const plain = output
    .replace(SECOND_SCREEN, '')
    .replace(SEQUENCES, '')
    .replace(/\r+\n/g, '\n')
    .replace(OVERWRITTEN, '')
    .replace(CONTROLS, '')
  const lines = plain.replace(/^\n/, '')
  const withoutPrompt = lines.includes('\n') ? lines.slice(0, lines.lastIndexOf('\n')) : ''
  if (withoutPrompt.length <= OUTPUT_MAX) return withoutPrompt
  const cut = withoutPrompt.slice(0, OUTPUT_MAX)
  return cut.includes('\n') ? cut.slice(0, cut.lastIndexOf('\n')) : cut
}
