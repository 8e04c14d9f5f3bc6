import { spoken } from '@sallyport/contract/names.ts'
import type ssh2 from 'ssh2'
import {
  isKeyToHold,
  signInByHold,
  signInInBrowser,
  takesBrowser,
} from '../../../domains/authentication/browser-sign-in/index.ts'
import {
  askReviewers,
  CONFIRM_SECONDS,
  checkSignIn,
  type Due,
  dueOf,
  finishSignIn,
  isKeyWorthProving,
  type MfaType,
  noCodeText,
  type OpenConnection,
  openConnection,
  type ProvenSignIn,
  REJECTED,
  type SignedIn,
  type SignInClient,
  typedChoices,
} from '../../../domains/authentication/index.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { decisionOf, withdrawConfirmation } from '../../../domains/tickets/index.ts'
import { languageOfPerson } from '../../../domains/users/index.ts'
import { type Language, translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { readCertificate } from '../../../kernel/ssh/certificates/certificate.ts'
import { utils } from '../../../kernel/ssh/ssh2/index.ts'
import { askOver } from './ask.ts'
import { type LoginName, readLoginName } from './login-name.ts'
import { type SecondFactor, secondFactorOver } from './second-factor.ts'

/** Proofs that may be tried on one connection. */
const MAX_ATTEMPTS = 6
/** Keys that may be offered before one is proven: agents hold many. */
const MAX_OFFERS = 20
/** Typed in place of a code, where a confirmation in a browser may hold for the key. */
const BROWSER_WORD = 'browser'

export interface SshSignIn {
  user: SignedIn
  name: LoginName
  /** The person's own, else the installation's. */
  language: Language
  /** In the list of the person's sign-ins. */
  listed: OpenConnection
}

/** A sign-in whose first factor is proven, under exactly this user name. */
interface Pending {
  username: string
  name: LoginName
  proven: ProvenSignIn
  due: Due
  /** The factor is a key for which a confirmation in a browser may hold on. */
  mayHold: boolean
}

type Method = 'publickey' | 'password' | 'keyboard-interactive'

/**
 * Signs in the person at the other end of one connection, by public key, password, or a question
 * for the password (docs/rules/gateway.md#ssh_server). Locks, rules, account state and the login
 * log are those of every sign-in. Answers once; never when the client gives up.
 */
export function signInOver(
  kernel: Kernel,
  client: ssh2.Connection,
  signInClient: SignInClient,
  address: string,
  waits: Waits,
): Promise<SshSignIn> {
  return new Promise((resolve) => {
    const signIn = new ConnectionSignIn({ kernel, client, signInClient, address, ...waits, onSignedIn: resolve })
    client.on('authentication', (context) => {
      signIn.answer(context).catch((error) => {
        kernel.app.log.error({ err: error }, 'sign-in over SSH')
        context.reject(signIn.methods())
      })
    })
  })
}

/** Told before a sign-in takes longer than a person types. */
interface Waits {
  /**
   * A person waits for others to confirm the sign-in, which may take an hour; returns whether they
   * may: false when they hold as many connections as a person may.
   */
  onWaiting(userId: string): boolean
  /** Somebody, not known yet, is to confirm in a browser. */
  onBrowser(): void
}

interface Connection extends Waits {
  kernel: Kernel
  client: ssh2.Connection
  signInClient: SignInClient
  address: string
  onSignedIn(signIn: SshSignIn): void
}

/** The proofs of one connection so far, and its next question (RFC 4252, RFC 4256). */
class ConnectionSignIn {
  readonly #connection: Connection
  readonly #secondFactor: SecondFactor
  readonly #gone = new AbortController()
  /** No answer to any question, once the client has left: the library says nothing then. */
  readonly #unanswered: Promise<undefined[]>
  #attempts = 0
  #offers = 0
  /** Names and keys that were worth proving: whether they still are, is asked with the proof. */
  readonly #worthProving = new Set<string>()
  /** The person's key, once its private half is proven; by itself it may not be enough. */
  #key: { username: string; publicKey: string } | undefined
  /** Why the last try was refused: said above the next question. */
  #lastRefusal = ''
  /** Once the first factor is proven: nothing but what is due is taken from here on. */
  #pending: Pending | undefined

  constructor(connection: Connection) {
    const { kernel, client, signInClient, address } = connection
    this.#connection = connection
    this.#secondFactor = secondFactorOver(kernel, signInClient, address)
    this.#unanswered = new Promise((resolve) =>
      client.once('close', () => {
        this.#gone.abort()
        resolve([])
      }),
    )
  }

  /** Methods that the client may try next. */
  methods(): Method[] {
    if (this.#pending) return ['keyboard-interactive']
    const settings = settingsOf(this.#connection.kernel)
    const password = this.#takesPassword()
    return [
      ...(settings.get('TERMINAL_PUBLIC_KEY_AUTH') ? (['publickey'] as const) : []),
      ...(password ? (['password'] as const) : []),
      ...(password || takesBrowser(this.#connection.kernel) ? (['keyboard-interactive'] as const) : []),
    ]
  }

  /** Takes one request of the client's: accepts it, rejects it, or asks on. */
  async answer(context: ssh2.AuthContext): Promise<void> {
    // A proof counts for the name that it was given for, with everything that the name says.
    if (this.#pending && context.username !== this.#pending.username) return this.#end()
    if (!(this.methods() as string[]).includes(context.method)) return this.#reject(context)
    switch (context.method) {
      case 'publickey':
        return this.#takeKey(context)
      case 'password':
        // An object for a request to change it (RFC 4252 §8): that is done on the web alone.
        return typeof context.password === 'string'
          ? this.#tryProof(context, { password: context.password })
          : this.#reject(context)
      case 'keyboard-interactive':
        return this.#pending ? this.#goOn(context, this.#pending) : this.#askPassword(context)
      default:
        return this.#reject(context)
    }
  }

  async #takeKey(context: ssh2.PublicKeyAuthContext): Promise<void> {
    const certificate = readCertificate(context.key.data)
    // One that is broken is no key, and none of a certificate is looked at by itself.
    const key = utils.parseKey(certificate?.key ?? context.key.data)
    const publicKey = context.key.data.toString('base64')
    const { username } = readLoginName(context.username)
    // `ssh-rsa` as an algorithm signs with SHA-1; RSA keys themselves come as rsa-sha2-*.
    const isWeak = /^ssh-rsa(-cert|$)/.test(context.key.algo) && !context.hashAlgo
    if (key instanceof Error || isWeak || ++this.#offers > MAX_OFFERS) return this.#reject(context)
    const offer = `${username}\n${publicKey}`
    if (!this.#worthProving.has(offer)) {
      const { kernel, address } = this.#connection
      const isWorthIt =
        (await isKeyWorthProving(kernel, username, publicKey, address)) ||
        // A certificate is good for what it says alone: no confirmation holds for it.
        (!certificate && (await isKeyToHold(kernel, { username, publicKey })))
      if (!isWorthIt) return this.#reject(context)
      this.#worthProving.add(offer)
    }
    // Only offered: says that it is worth signing, and grants nothing.
    if (!context.signature || !context.blob) return context.accept()
    if (key.verify(context.blob, context.signature, context.hashAlgo) !== true) return this.#reject(context)
    return certificate ? this.#tryProof(context, { publicKey }) : this.#tryKey(context, publicKey)
  }

  /**
   * A confirmation that holds for the key, else the key by itself. Where a key alone signs nobody
   * in, it has succeeded in part: the browser comes next, and what is confirmed there may hold.
   */
  async #tryKey(context: ssh2.AuthContext, publicKey: string): Promise<void> {
    const { kernel, signInClient, address } = this.#connection
    const name = readLoginName(context.username)
    const { username } = name
    const mayHold = await isKeyToHold(kernel, { username, publicKey })
    if (!mayHold) return this.#tryProof(context, { publicKey })
    this.#key = { username, publicKey }
    const held = await signInByHold(kernel, signInClient, { username, publicKey, address })
    if (held) return ++this.#attempts > MAX_ATTEMPTS ? this.#end() : this.#take(context, name, held)
    if (await isKeyWorthProving(kernel, username, publicKey, address))
      return this.#tryProof(context, { publicKey }, true)
    context.reject(['keyboard-interactive'], true)
  }

  #takesPassword(): boolean {
    return settingsOf(this.#connection.kernel).get('TERMINAL_PASSWORD_AUTH')
  }

  async #askPassword(context: ssh2.KeyboardAuthContext): Promise<void> {
    const { kernel, signInClient } = this.#connection
    const browser = takesBrowser(kernel)
    if (browser && !this.#takesPassword()) return this.#askBrowser(context)
    const hint = browser ? translate(signInClient.language, 'To sign in in a browser, press Enter alone.') : ''
    // In the words of every SSH server: scripts wait for them.
    const prompts = [{ prompt: 'Password: ', echo: false }]
    const [password] = await this.#ask(context, [this.#lastRefusal, hint].filter(Boolean).join('\n'), prompts)
    if (password === undefined) return this.#reject(context)
    return browser && password === '' ? this.#askBrowser(context) : this.#tryProof(context, { password })
  }

  /** The person is signed in in a browser, and says there that this is theirs. */
  async #askBrowser(context: ssh2.KeyboardAuthContext): Promise<void> {
    if (++this.#attempts > MAX_ATTEMPTS) return this.#end()
    const { kernel, signInClient, address, onBrowser } = this.#connection
    onBrowser()
    const name = readLoginName(context.username)
    const publicKey = this.#key?.username === name.username ? this.#key.publicKey : undefined
    const attempt = { username: name.username, address, publicKey }
    // A message without a question: clients show it and answer at once (RFC 4256 §3.2).
    const tell = async (words: string) => void (await this.#ask(context, words, []))
    return this.#take(context, name, await signInInBrowser(kernel, signInClient, attempt, tell, this.#gone.signal))
  }

  /** The first factor; `mayHold`: a confirmation in a browser may hold for this key. */
  async #tryProof(
    context: ssh2.AuthContext,
    proof: { password?: string; publicKey?: string },
    mayHold = false,
  ): Promise<void> {
    if (++this.#attempts > MAX_ATTEMPTS) return this.#end()
    const { kernel, signInClient, address } = this.#connection
    const name = readLoginName(context.username)
    const attempt = { username: name.username, ...proof, address, type: 'T' as const }
    return this.#take(context, name, await checkSignIn(kernel, signInClient, attempt), mayHold)
  }

  /** What became of the first factor. */
  async #take(
    context: ssh2.AuthContext,
    name: LoginName,
    answer: Awaited<ReturnType<typeof signInInBrowser>>,
    mayHold = false,
  ): Promise<void> {
    const { kernel, signInClient } = this.#connection
    if ('error' in answer) return this.#reject(context, answer.message)
    if (!('due' in answer)) return this.#enter(context, answer.user, name)
    const { due, proven } = answer
    // The person is known from here on.
    signInClient.language = await languageOfPerson(kernel, proven.user_id)
    if (due.step === 'mfa' && !typedChoices(due.choices).length && !(mayHold && due.choices.length))
      return this.#reject(context, translate(signInClient.language, noCodeText(due.choices)))
    this.#lastRefusal = ''
    this.#pending = { username: context.username, name, mayHold, ...answer }
    // A person who is being asked already goes on with that; other methods have succeeded in part.
    if (context.method === 'keyboard-interactive') return this.#goOn(context, this.#pending)
    context.reject(this.methods(), true)
  }

  #goOn(context: ssh2.KeyboardAuthContext, pending: Pending): Promise<void> {
    const { due } = pending
    return due.step === 'mfa'
      ? this.#askCode(context, pending, due.choices)
      : this.#awaitReviewer(context, pending, due.reviewers)
  }

  async #askCode(context: ssh2.KeyboardAuthContext, pending: Pending, choices: MfaType[]): Promise<void> {
    const { mayHold, proven } = pending
    if (!typedChoices(choices).length) return this.#goToBrowser(context)
    const hint = mayHold
      ? translate(this.#connection.signInClient.language, 'To confirm in a browser, type browser.')
      : ''
    const heading = [this.#lastRefusal, hint].filter(Boolean).join('\n')
    let inBrowser = false
    const answer = await this.#secondFactor(proven, choices, heading, async (above, prompt) => {
      if (++this.#attempts > MAX_ATTEMPTS) return undefined
      const [text] = await this.#ask(context, above, [{ prompt, echo: true }])
      inBrowser = mayHold && text?.trim().toLowerCase() === BROWSER_WORD
      return inBrowser ? undefined : text
    })
    if (this.#attempts > MAX_ATTEMPTS) return this.#end()
    if (inBrowser) return this.#goToBrowser(context)
    if (answer !== 'proven') return this.#reject(context, answer)
    this.#lastRefusal = ''
    pending.proven.mfa = true
    const due = await dueOf(this.#connection.kernel, pending.proven, this.#connection.address)
    if (!due) return this.#finish(context, pending)
    this.#pending = { ...pending, due }
    return this.#goOn(context, this.#pending)
  }

  /** In place of a code: what the key has proven counts no more, the browser proves all. */
  #goToBrowser(context: ssh2.KeyboardAuthContext): Promise<void> {
    this.#pending = undefined
    return this.#askBrowser(context)
  }

  /** Asks whether to wait, then waits; after a no, or somebody else's, the connection ends. */
  async #awaitReviewer(context: ssh2.KeyboardAuthContext, pending: Pending, reviewers: string[]): Promise<void> {
    const { kernel, signInClient, address, onWaiting } = this.#connection
    const { proven } = pending
    const ticket = await askReviewers(kernel, proven, address, reviewers)
    const withdraw = (why?: 'time') => withdrawConfirmation(kernel, 'login_confirm', ticket.id, why)
    const heading = translate(signInClient.language, 'This sign-in must be confirmed by: {{reviewers}}', {
      reviewers: ticket.reviewers.map(spoken).join(', '),
    })
    const [answer] = await this.#ask(context, heading, [
      { prompt: translate(signInClient.language, 'Wait for it? [Y/n]: '), echo: true },
    ])
    if (answer === undefined || /^\s*n/i.test(answer) || this.#gone.signal.aborted) {
      await withdraw()
      return this.#end()
    }
    if (!onWaiting(proven.user_id)) {
      await withdraw()
      await this.#ask(context, tooManyConnections(kernel, signInClient.language), [])
      return this.#end()
    }
    const limit = AbortSignal.any([this.#gone.signal, AbortSignal.timeout(CONFIRM_SECONDS * 1000)])
    const decided = await decisionOf(kernel, 'login_confirm', ticket.id, limit)
    if (decided?.state === 'approved')
      return this.#finish(context, { ...pending, proven: { ...proven, confirmed: address } })
    await withdraw(this.#gone.signal.aborted ? undefined : 'time')
    if (!this.#gone.signal.aborted) await this.#ask(context, translate(signInClient.language, REJECTED), [])
    this.#end()
  }

  async #finish(context: ssh2.KeyboardAuthContext, { name, proven }: Pending): Promise<void> {
    const { kernel, signInClient, address } = this.#connection
    const answer = await finishSignIn(kernel, signInClient, { address, type: 'T' }, proven)
    if ('error' in answer) return this.#reject(context, answer.message)
    return this.#enter(context, answer.user, name)
  }

  /** Listed first: once the client is notified, it opens channels at once. */
  async #enter(context: ssh2.AuthContext, user: SignedIn, name: LoginName): Promise<void> {
    const { kernel, signInClient, address, onSignedIn } = this.#connection
    const listed = await openConnection(kernel, {
      kind: 'ssh',
      userId: user.id,
      signInId: user.signInId,
      remoteAddress: address,
      userAgent: signInClient.userAgent ?? '',
    })
    if (this.#gone.signal.aborted) return listed.close()
    context.accept()
    onSignedIn({ user, name, language: user.language, listed })
  }

  #ask(context: ssh2.KeyboardAuthContext, heading: string, prompts: ssh2.Prompt[]): Promise<(string | undefined)[]> {
    return Promise.race([askOver(context, this.#connection.signInClient, heading, prompts), this.#unanswered])
  }

  #reject(context: ssh2.AuthContext, refusal = this.#lastRefusal): void {
    this.#lastRefusal = refusal
    context.reject(this.methods())
  }

  #end(): void {
    this.#connection.client.end()
  }
}

/** Why somebody may hold no further connection. */
export const tooManyConnections = ({ config: { sshConnectionsOfPerson: limit } }: Kernel, language: Language): string =>
  translate(language, 'You have {{limit}} connections, which is the limit: close one first', { limit })
