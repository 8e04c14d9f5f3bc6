/** Pasting a text that a machine may run before anybody has read it. */
import { ask } from '../../design/dialogs/feedback.tsx'
import { t } from '../../lib/i18n.ts'

/** The beginning of a long text is shown, up to this. */
const SHOWN_LINES = 12
const SHOWN_CHARACTERS = 1000

const LINE_BREAK = /\r\n|\r|\n/
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/

/** Its lines, without an empty last one. */
export const linesOf = (text: string): string[] => text.replace(/(\r\n|\r|\n)$/, '').split(LINE_BREAK)

/**
 * Whether a text does more than wait at the prompt: a line that ends is run at once, unless the program
 * says that it takes pasted lines as one text (`isBracketed`); other control characters are keys.
 */
export const isDangerous = (text: string, isBracketed: boolean): boolean =>
  CONTROL.test(text) || (!isBracketed && LINE_BREAK.test(text))

/** What it would do, in words. */
function warningOf(text: string): string {
  const lines = linesOf(text).length
  if (CONTROL.test(text)) return t('It holds control characters, which act like keys.')
  return t('Each line is run as soon as it is pasted: {{count|line|lines}}.', { count: lines })
}

/** The beginning of a text, with control characters as pictures of them. */
export function shownText(text: string): string {
  const lines = linesOf(text)
  const shown = lines.slice(0, SHOWN_LINES).join('\n').slice(0, SHOWN_CHARACTERS)
  const isCut = lines.length > SHOWN_LINES || shown.length < lines.slice(0, SHOWN_LINES).join('\n').length
  // biome-ignore lint/suspicious/noControlCharactersInRegex: U+2400 and on are their pictures
  const visible = shown.replace(/[\x00-\x08\x0b-\x1f]/g, (one) => String.fromCharCode(0x2400 + one.charCodeAt(0)))
  return `${visible.replaceAll('\x7f', '␡')}${isCut ? '\n…' : ''}`
}

/** Asks whether to paste it. `where`: what it goes to, where that is more than the screen in front. */
export function askToPaste(text: string, where?: string): Promise<boolean> {
  return ask({
    title: where ?? t('Paste this into the terminal?'),
    content: (
      <>
        <p>{warningOf(text)}</p>
        <pre className="wt-pasted">{shownText(text)}</pre>
      </>
    ),
    okText: t('Paste'),
    isDanger: true,
  })
}
