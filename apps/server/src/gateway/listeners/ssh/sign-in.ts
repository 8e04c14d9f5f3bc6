import ssh2 from 'ssh2'
import {
  askReviewers,
  CONFIRM_SECONDS,
  checkSignIn,
  type Due,
  dueOf,
  finishSignIn,
  isKeyWorthProving,
  noCodeText,
  type OpenConnection,
  openConnection,
  type ProvenSignIn,
  REJECTED,
  type SignedIn,
  typedChoices,
  type Visitor,
} from '../../../domains/authentication/index.ts'
import { settingsOf } from '../../../domains/settings/index.ts'
import { decisionOf, withdrawConfirmation } from '../../../domains/tickets/index.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { type LoginName, readLoginName } from './login-name.ts'
import { secondFactorOver } from './second-factor.ts'

/** Proofs that may be tried on one connection. */
const MAX_ATTEMPTS = 6
/** Keys that may be offered before one is proven: agents hold many. */
const MAX_OFFERS = 20

export interface SshSignIn {
  user: SignedIn
  name: LoginName
  /** In the list of the person's sign-ins. */
  listed: OpenConnection
}

interface Pending {
  username: string
  name: LoginName
  proven: ProvenSignIn
  due: Due
}

type Method = 'publickey' | 'password' | 'keyboard-interactive'

/**
 * Signs in whoever is at the other end of one connection, by public key, password, or a question
 * for the password (contract/gateway.yaml ssh_server.auth_methods). Locks, rules, account state and
 * the login log are those of every sign-in. Answers once; never when the client gives up.
 * `onWaiting` tells that somebody with a proven name waits for others to confirm the sign-in, which
 * may take an hour.
 */
export function signInOver(
  kernel: Kernel,
  client: ssh2.Connection,
  visitor: Visitor,
  address: string,
  onWaiting: () => void = () => {},
): Promise<SshSignIn> {
  return new Promise((resolve) => {
    let attempts = 0
    let offers = 0
    let lastRefusal = ''
    /**
     * The first factor is proven, under exactly this user name; from here on nothing but what is
     * due is taken.
     */
    let pending: Pending | undefined
    const gone = new AbortController()
    const secondFactor = secondFactorOver(kernel, visitor, address)
    client.once('close', () => gone.abort())
    const methods = (): Method[] => {
      if (pending) return ['keyboard-interactive']
      const settings = settingsOf(kernel)
      return [
        ...(settings.get('TERMINAL_PUBLIC_KEY_AUTH') ? (['publickey'] as const) : []),
        ...(settings.get('TERMINAL_PASSWORD_AUTH') ? (['password', 'keyboard-interactive'] as const) : []),
      ]
    }
    const attempt = async (context: ssh2.AuthContext, proof: { password?: string; publicKey?: string }) => {
      if (++attempts > MAX_ATTEMPTS) return void client.end()
      const name = readLoginName(context.username)
      const answer = await checkSignIn(kernel, visitor, { username: name.username, ...proof, address, type: 'T' })
      if ('error' in answer) {
        lastRefusal = answer.message
        return context.reject(methods())
      }
      if ('due' in answer) {
        if (answer.due.step === 'mfa' && !typedChoices(answer.due.choices).length) {
          lastRefusal = translate(visitor.language, noCodeText(answer.due.choices))
          return context.reject(methods())
        }
        lastRefusal = ''
        pending = { username: context.username, name, ...answer }
        // Whoever is being asked already is asked on; other methods have succeeded in part.
        return context.method === 'keyboard-interactive'
          ? goOn(context as ssh2.KeyboardAuthContext, pending)
          : context.reject(methods(), true)
      }
      return enter(context, answer.user, name)
    }
    /** Listed first: once the client is told, it opens channels at once. */
    const enter = async (context: ssh2.AuthContext, user: SignedIn, name: LoginName) => {
      const listed = await openConnection(kernel, {
        kind: 'ssh',
        userId: user.id,
        remoteAddress: address,
        userAgent: visitor.userAgent ?? '',
      })
      if (gone.signal.aborted) return listed.close()
      context.accept()
      resolve({ user, name, listed })
    }
    const goOn = (context: ssh2.KeyboardAuthContext, current: Pending): Promise<unknown> =>
      current.due.step === 'mfa' ? byCode(context, current) : byReviewer(context, current, current.due.reviewers)
    const finish = async (context: ssh2.KeyboardAuthContext, { name, proven }: Pending) => {
      const answer = await finishSignIn(kernel, visitor, { address, type: 'T' }, proven)
      if ('error' in answer) {
        lastRefusal = answer.message
        return context.reject(methods())
      }
      return enter(context, answer.user, name)
    }
    const byCode = async (context: ssh2.KeyboardAuthContext, current: Pending) => {
      const answer = await secondFactor(
        current.proven,
        current.due.step === 'mfa' ? current.due.choices : [],
        lastRefusal,
        (heading, prompt) =>
          ++attempts > MAX_ATTEMPTS
            ? Promise.resolve(undefined)
            : ask(context, heading, [{ prompt, echo: true }]).then(([text]) => text),
      )
      if (attempts > MAX_ATTEMPTS) return void client.end()
      if (answer !== 'proven') {
        lastRefusal = answer
        return context.reject(methods())
      }
      lastRefusal = ''
      current.proven.mfa = true
      const due = await dueOf(kernel, current.proven, address)
      if (!due) return finish(context, current)
      pending = { ...current, due }
      return goOn(context, pending)
    }
    /** Asks whether to wait, then waits; after a no, or somebody else's, the connection ends. */
    const byReviewer = async (context: ssh2.KeyboardAuthContext, current: Pending, reviewers: string[]) => {
      const { proven } = current
      const ticket = await askReviewers(kernel, proven, address, reviewers)
      const withdraw = () => withdrawConfirmation(kernel, 'login_confirm', ticket.id)
      const heading = translate(visitor.language, 'This sign-in must be confirmed by: {{reviewers}}', {
        reviewers: ticket.reviewers.join(', '),
      })
      const [answer] = await ask(context, heading, [
        { prompt: translate(visitor.language, 'Wait for it? [Y/n]: '), echo: true },
      ])
      if (answer === undefined || /^\s*n/i.test(answer) || gone.signal.aborted) {
        await withdraw()
        return void client.end()
      }
      onWaiting()
      const given = AbortSignal.any([gone.signal, AbortSignal.timeout(CONFIRM_SECONDS * 1000)])
      const decided = await decisionOf(kernel, 'login_confirm', ticket.id, given)
      if (decided?.state === 'approved')
        return finish(context, { ...current, proven: { ...proven, confirmed: address } })
      await withdraw()
      if (!gone.signal.aborted) await ask(context, translate(visitor.language, REJECTED), [])
      return void client.end()
    }
    const byKey = async (context: ssh2.PublicKeyAuthContext) => {
      const key = ssh2.utils.parseKey(context.key.data)
      const publicKey = context.key.data.toString('base64')
      const { username } = readLoginName(context.username)
      // `ssh-rsa` as an algorithm signs with SHA-1; RSA keys themselves come as rsa-sha2-*.
      const isWeak = context.key.algo === 'ssh-rsa' && !context.hashAlgo
      if (key instanceof Error || isWeak || ++offers > MAX_OFFERS) return context.reject(methods())
      if (!(await isKeyWorthProving(kernel, username, publicKey))) return context.reject(methods())
      // Only offered: says that it is worth signing, and grants nothing.
      if (!context.signature || !context.blob) return context.accept()
      if (key.verify(context.blob, context.signature, context.hashAlgo) !== true) return context.reject(methods())
      return attempt(context, { publicKey })
    }
    const byQuestion = async (context: ssh2.KeyboardAuthContext) => {
      // In the words of every SSH server: scripts wait for them.
      const [password] = await ask(context, lastRefusal, [{ prompt: 'Password: ', echo: false }])
      if (password === undefined) return context.reject(methods())
      return attempt(context, { password })
    }
    const check = (context: ssh2.AuthContext): unknown => {
      // A proof counts for the name that it was given for, with everything that the name says.
      if (pending && context.username !== pending.username) return void client.end()
      if (!(methods() as string[]).includes(context.method)) return context.reject(methods())
      switch (context.method) {
        case 'publickey':
          return byKey(context)
        case 'password':
          return attempt(context, { password: context.password })
        case 'keyboard-interactive':
          return pending ? goOn(context, pending) : byQuestion(context)
        default:
          return context.reject(methods())
      }
    }
    client.on('authentication', (context) => {
      Promise.resolve(check(context)).catch((error) => {
        kernel.app.log.error({ err: error }, 'sign-in over SSH')
        context.reject(methods())
      })
    })
  })
}

/**
 * Undefined answers when the client gave up. What was refused before is said above the question,
 * where clients show it.
 */
function ask(
  context: ssh2.KeyboardAuthContext,
  heading: string,
  prompts: ssh2.Prompt[],
): Promise<(string | undefined)[]> {
  return new Promise((resolve) =>
    context.prompt(prompts, '', heading, (answers) => resolve(Array.isArray(answers) ? answers : [])),
  )
}
