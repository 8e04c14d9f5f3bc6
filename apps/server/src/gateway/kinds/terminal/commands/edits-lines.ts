import { commandsIn } from '../../../guard/shell/commands-in.ts'

/** A shell with an option to be interactive, and programs that put a terminal before one. */
const EDITS = /^(?:\S*\/)?(?:\w*sh\s(?:.*\s)?-\w*i|(?:script|unbuffer|expect|socat|screen|tmux|dtach|abduco)\b)/s

/**
 * Whether a line editor may read what comes to a program without a terminal: to it, control characters and letters
 * other than English ones are keys, which make another line of what was sent.
 */
export const editsLines = (program: string | undefined): boolean =>
  program !== undefined && commandsIn(program, false).commands.some(({ text }) => EDITS.test(text))
