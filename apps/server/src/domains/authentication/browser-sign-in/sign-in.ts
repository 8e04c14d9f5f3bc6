import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import {
  admitConfirmed,
  REFUSED_IN_BROWSER,
  refuseInBrowser,
  type SignInAnswer,
  type SignInClient,
} from '../sign-in/sign-in.ts'
import { fingerprintOf } from './hold.ts'
import {
  BROWSER_SECONDS,
  browserAnswer,
  browserSignInOf,
  codeIn,
  dropBrowserSignIn,
  keepBrowserSignIn,
  stateOfBrowserSignIn,
  takeRefusal,
  useBrowserSignIn,
} from './stored.ts'

/** The page that a person confirms on. */
const PAGE = '/ui/confirm-sign-in'
/** Instead of a password, for clients that can ask nothing. */
const BROWSER_WORD = 'browser'

export const TOO_MANY = 'Too many sign-ins wait for a browser here: try again in two minutes'

/** Somebody who signs in by a client without a browser. */
export interface BrowserAttempt {
  username: string
  address: string
  /** The person's key, in wire form and base64, if this connection has proven it. */
  publicKey?: string | undefined
}

/** Whether people may confirm sign-ins of other clients in a browser. */
export const takesBrowser = (kernel: Kernel): boolean => settingsOf(kernel).get('TERMINAL_BROWSER_AUTH')

type BrowserAnswer = SignInAnswer | { error: 'browser_failed'; message: string }

/**
 * Has the person confirm in a browser, and waits for it: `tell` has the words with address and code.
 * Two minutes at most; the person is the one whose name was given, and the answer that of every
 * other sign-in. The words are the same for names that nobody has.
 */
export async function signInInBrowser(
  kernel: Kernel,
  signInClient: SignInClient,
  attempt: BrowserAttempt,
  tell: (words: string) => Promise<void>,
  gone: AbortSignal,
): Promise<BrowserAnswer> {
  const { language, userAgent = '' } = signInClient
  const { publicKey } = attempt
  const key = publicKey === undefined ? {} : { key: fingerprintOf(publicKey) }
  const kept = await keepBrowserSignIn(kernel, { ...attempt, ...key, program: userAgent })
  if (!kept) return refusal(language, TOO_MANY)
  const { id, code } = kept
  await tell(
    translate(language, 'Open {{url}} in a browser, compare the code {{code}} and confirm', {
      url: addressOf(kernel, code),
      code,
    }),
  )
  const state = await browserAnswer(kernel, id, AbortSignal.any([gone, AbortSignal.timeout(BROWSER_SECONDS * 1000)]))
  if (state === 'refused') return refuseOnce(kernel, signInClient, id, attempt)
  const entered = state === 'confirmed' ? await enter(kernel, signInClient, id, attempt) : undefined
  if (entered) return entered
  await dropBrowserSignIn(kernel, id)
  return refusal(language, 'Nobody confirmed this sign-in in time')
}

/**
 * The same in two connections, for clients that are asked a single question: the word `browser` for
 * a password is refused with address and code, and the code, once confirmed, is the password of the
 * next one. Undefined when the password is neither.
 */
export async function signInByBrowserCode(
  kernel: Kernel,
  signInClient: SignInClient,
  { password, ...attempt }: BrowserAttempt & { password: string },
): Promise<BrowserAnswer | undefined> {
  if (!takesBrowser(kernel)) return undefined
  const { language, userAgent = '' } = signInClient
  if (password === BROWSER_WORD) {
    const kept = await keepBrowserSignIn(kernel, { ...attempt, program: userAgent })
    if (!kept) return refusal(language, TOO_MANY)
    const text = 'Open {{url}} in a browser and confirm, then connect again with the code {{code}} as password'
    return refusal(language, text, { url: addressOf(kernel, kept.code), code: kept.code })
  }
  const code = codeIn(password)
  const known = code ? await browserSignInOf(kernel, code) : undefined
  if (!code || known?.username !== attempt.username) return undefined
  if (known.state === 'open')
    return refusal(language, 'Not confirmed yet: open {{url}} first', { url: addressOf(kernel, code) })
  if (known.state === 'refused') return refuseOnce(kernel, signInClient, known.id, attempt)
  return enter(kernel, signInClient, known.id, attempt)
}

/** Begun over the API. */
export interface BegunInBrowser {
  /** By which the client that began it, and nobody else, asks for its token. */
  id: string
  /** Shown by the client and by the page, to be compared. */
  code: string
  /** The page. */
  url: string
  /** Seconds until it is over. */
  expires_in: number
}

/** A sign-in over the API that a person is to confirm in a browser; undefined when too many wait. */
export async function beginInBrowser(
  kernel: Kernel,
  { userAgent = '' }: SignInClient,
  attempt: BrowserAttempt,
): Promise<BegunInBrowser | undefined> {
  const kept = await keepBrowserSignIn(kernel, { ...attempt, program: userAgent })
  return kept && { ...kept, url: addressOf(kernel, kept.code), expires_in: BROWSER_SECONDS }
}

/** One question of a client waits that long for the person; then the client asks again. */
const ASKED_MS = 20_000

/** What became of it: waits a while for the person. Refused with `browser_waiting`, it may be asked again. */
export async function signInBegunInBrowser(
  kernel: Kernel,
  signInClient: SignInClient,
  attempt: BrowserAttempt & { id: string },
): Promise<SignInAnswer> {
  const { id } = attempt
  const { language } = signInClient
  if ((await stateOfBrowserSignIn(kernel, attempt)) === 'open')
    await browserAnswer(kernel, id, AbortSignal.timeout(ASKED_MS))
  const state = await stateOfBrowserSignIn(kernel, attempt)
  if (state === 'open') return { error: 'browser_waiting', message: translate(language, 'Not confirmed yet') }
  if (state === 'refused') return refuseOnce(kernel, signInClient, id, attempt)
  const entered = state === 'confirmed' ? await enter(kernel, signInClient, id, attempt, 'U') : undefined
  return entered ?? refusal(language, 'Nobody confirmed this sign-in in time')
}

/** Uses a confirmed sign-in up; undefined where that was done before, or it is another address's. */
async function enter(
  kernel: Kernel,
  signInClient: SignInClient,
  id: string,
  { address }: BrowserAttempt,
  type: 'T' | 'U' = 'T',
): Promise<SignInAnswer | undefined> {
  const used = await useBrowserSignIn(kernel, id, address)
  return used && admitConfirmed(kernel, signInClient, { address, type }, used)
}

/** The login log has a refusal once, however often the client asks for it. */
async function refuseOnce(kernel: Kernel, signInClient: SignInClient, id: string, attempt: BrowserAttempt) {
  if (await takeRefusal(kernel, id, attempt.address)) return refuseInBrowser(kernel, signInClient, attempt)
  const { error, text } = REFUSED_IN_BROWSER
  return { error, message: translate(signInClient.language, text) }
}

const refusal = (language: Language, text: string, values?: Record<string, string>) =>
  ({ error: 'browser_failed', message: translate(language, text, values) }) as const

const addressOf = (kernel: Kernel, code: string): string => `${settingsOf(kernel).get('SITE_URL')}${PAGE}?code=${code}`
