import type { Target } from '@sallyport/contract/target.ts'
import {
  admitByToken,
  admitClientByToken,
  type OpenConnection,
  openConnection,
  renewToken,
  revokeToken,
  signInByOneAnswer,
} from '../../../domains/authentication/index.ts'
import { languageOfPerson } from '../../../domains/users/index.ts'
import { standardLanguage } from '../../../kernel/i18n/language-of.ts'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Person } from '../../session/person.ts'
import { SessionRefusal } from '../../session/refusal.ts'
import { resolveDirect } from '../menu/choose.ts'
import { readClientLogin } from './client-login.ts'

/** A token is renewed so often while a connection that it opened lives. */
const RENEW_MS = 60_000

export interface SigningInClient {
  /** The user name that it gave. */
  name: string
  address: string
  /** Its name for itself. */
  program: string
  /** Its password, which is asked for only where it counts. */
  password(): Promise<string>
  /**
   * Kind of the session that it wants; statements, unless said otherwise. A token opens one
   * desktop.
   */
  kind?: 'statements' | 'requests' | 'desktop'
}

const NO_NAME = 'Give a connection token as user name, or person#application#account'
const NO_DESKTOP_NAME = 'Give a connection token as user name, or person#asset#account'

/** Somebody who is signed in by a client of a database, and what they are to be connected to. */
export interface ClientSignIn {
  person: Person
  target: Target
  systemUserId: string
  /** In the list of the person's sign-ins. */
  listed: OpenConnection
  /** Somebody has ended this sign-in: nobody comes back by it. */
  revoke(): Promise<void>
  /** Must be called when the connection is closed. */
  close(): Promise<void>
}

/**
 * Signs in a client of a database or cluster by a connection token as its user name, or by
 * `person#application#account` and the person's own password, with the code of the second factor
 * behind it where one is due. Throws SessionRefusal.
 */
export function signInClient(kernel: Kernel, client: SigningInClient): Promise<ClientSignIn> {
  const login = readClientLogin(client.name)
  if (!login) throw new SessionRefusal(client.kind === 'desktop' ? NO_DESKTOP_NAME : NO_NAME)
  return login.by === 'token'
    ? signInByToken(kernel, client, login.token)
    : signInByPassword(kernel, client, login.username, { asset: login.application, systemUser: login.account })
}

async function signInByToken(kernel: Kernel, client: SigningInClient, token: string): Promise<ClientSignIn> {
  const isOnce = client.kind === 'desktop'
  const admit = isOnce ? admitByToken : admitClientByToken
  const admitted = await admit(kernel, token, client.address)
  if (!admitted) throw new SessionRefusal('The connection token is unknown, has expired or is for another address')
  const { user, target, systemUserId } = admitted
  const { person, listed } = await enter(kernel, client, user, 'connection_token')
  if (isOnce) return { person, target, systemUserId, listed, revoke: async () => {}, close: () => listed.close() }
  const renewing = setInterval(() => void renewToken(kernel, token).catch(() => {}), RENEW_MS)
  return {
    person,
    target,
    systemUserId,
    listed,
    revoke: () => revokeToken(kernel, token),
    async close() {
      clearInterval(renewing)
      await renewToken(kernel, token).catch(() => {})
      await listed.close()
    },
  }
}

async function signInByPassword(
  kernel: Kernel,
  client: SigningInClient,
  username: string,
  wanted: { asset: string; systemUser: string },
): Promise<ClientSignIn> {
  const { address, program } = client
  const signInClient = { language: standardLanguage(kernel.app), userAgent: program }
  const password = await client.password()
  const answer = await signInByOneAnswer(kernel, signInClient, { username, password, address })
  if (!('user' in answer)) throw new SessionRefusal(answer.message)
  const { person, listed } = await enter(
    kernel,
    client,
    answer.user,
    client.kind === 'desktop' ? 'desktop' : 'database',
  )
  const found = await resolveDirect(kernel, person, wanted, client.kind ?? 'statements')
  if (found.found !== 'one') {
    await listed.close()
    throw new SessionRefusal(found.notice)
  }
  return { person, ...found.choice, listed, revoke: async () => {}, close: () => listed.close() }
}

async function enter(
  kernel: Kernel,
  { address, program, kind: of }: SigningInClient,
  { id, name, username, signInId, onBehalfOf }: Pick<Person, 'id' | 'name' | 'username' | 'signInId' | 'onBehalfOf'>,
  kind: 'connection_token' | 'database' | 'desktop',
): Promise<{ person: Person; listed: OpenConnection }> {
  const language = await languageOfPerson(kernel, id)
  const listed = await openConnection(kernel, {
    kind,
    userId: id,
    remoteAddress: address,
    userAgent: program,
    signInId,
  })
  const loginFrom = of === 'desktop' ? 'NT' : 'DT'
  return { person: { id, name, username, language, remoteAddress: address, loginFrom, signInId, onBehalfOf }, listed }
}

/** A refusal in the person's language. */
export const refusalWords = ({ message, values }: SessionRefusal, language: Person['language']): string =>
  translate(language, message, { ...values })
