import type ssh2 from 'ssh2'
import type { SignInClient } from '../../../domains/authentication/index.ts'
import { translate } from '../../../kernel/i18n/translate.ts'

/** Letters that OpenSSH shows above its questions as they are. */
const PLAIN = /^[\n -~]*$/

/**
 * Asks in questions (RFC 4256 §3.2). Undefined answers when the client gave up. What was refused
 * before, or is to be read first, is said above the question, where clients show it. OpenSSH writes
 * all but plain letters there as numbers; in the question itself it shows them.
 */
export function askOver(
  context: ssh2.KeyboardAuthContext,
  { language, userAgent = '' }: SignInClient,
  heading: string,
  prompts: ssh2.Prompt[],
): Promise<(string | undefined)[]> {
  const answers = (above: string, asked: ssh2.Prompt[]) =>
    new Promise<(string | undefined)[]>((resolve) =>
      context.prompt(asked, '', above, (given) => resolve(Array.isArray(given) ? given : [])),
    )
  if (PLAIN.test(heading) || !userAgent.includes('OpenSSH')) return answers(heading, prompts)
  const [first = { prompt: translate(language, 'Press Enter to go on: '), echo: true }, ...others] = prompts
  return answers('', [{ ...first, prompt: `${heading}\n${first.prompt}` }, ...others])
}
