import { PROMPT_END, type PromptInPlace } from './prompts.ts'
import type { Screen } from './screen.ts'
import type { ShownLine } from './shown-line.ts'

/** A line as it was typed. */
interface Typed {
  text: string
  /** Nothing but characters and backspace, so that its look is known. */
  isPlain: boolean
}

/**
 * The command on the line that the cursor is about to leave, because of a return; undefined where it
 * is a line of output in between.
 */
export function commandOnLine(
  screen: Screen,
  shown: ShownLine,
  prompt: PromptInPlace | undefined,
  typed: Typed,
): string | undefined {
  if (!prompt) return typedAhead(screen, shown, typed)
  if (shown.isAt(prompt)) {
    const { text } = screen.line(prompt.right)
    if (prompt.text.trim()) return text.slice(prompt.text.length).trim()
    // Typed before the prompt was there, which has come in front of it since.
    return typedAhead(screen, shown, typed) ?? text.trim()
  }
  // A completion list or a redrawn screen moved the prompt.
  return shown.behindKnownPrompt() ?? screen.line().text.replace(PROMPT_END, '').trim()
}

/**
 * Typed while something else was running: the line appears by itself as it was typed, or after a
 * prompt that was seen before.
 */
function typedAhead(screen: Screen, shown: ShownLine, { text: typed, isPlain }: Typed): string | undefined {
  const { text } = screen.line()
  const wanted = typed.trim()
  const known = shown.behindKnownPrompt()
  if (known !== undefined) return known
  if (isPlain) return text.trim() === wanted || text.replace(PROMPT_END, '').trim() === wanted ? wanted : undefined
  return PROMPT_END.test(text) ? text.replace(PROMPT_END, '').trim() : undefined
}
