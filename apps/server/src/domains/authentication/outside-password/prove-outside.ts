import { inTime } from '../../../kernel/in-time.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import { settingsOf } from '../../settings/index.ts'
import { findUser, type User } from '../../users/index.ts'
import type { AskSource } from '../ask-source.ts'
import { countFailure, findLock, forgetFailures } from '../failures.ts'
import { askInVain, isAway, proveByLdap } from '../ldap/sign-in.ts'
import { sourcesInForce } from '../ldap/sources.ts'
import { REFUSED, savePeople } from '../outside-people.ts'
import type { Origin, OutsideSource } from '../outside-source.ts'
import { proveByRadius } from '../radius/sign-in.ts'
import { radiusInForce, serversFor } from '../radius/sources.ts'
import { type Ask, askInOrder } from './ask-in-order.ts'

/** A password that an outside source confirmed; `username` is the person's name there. */
export interface OutsideProof {
  username: string
  /** For the login log. */
  backend: string
}

interface Attempt {
  username: string
  password: string
  address: string
}

/** A source that may say whether a password is right. */
interface Source extends Origin {
  source: OutsideSource
  backend: string
  ask: AskSource
  /** Whether it may make people. */
  create: boolean
  /** Whether it knows more of a person than the name. */
  describes: boolean
  /** How names of its people end, where that says whose a name is; empty where they are any. */
  nameSuffix?: string
  /** Whether it could not be reached a moment ago. */
  isAway(): boolean
  /** Asks it for a name alone. */
  askInVain?(username: string): Promise<void>
}

interface Answer {
  source: Source
  /** The name by which the source knows the person. */
  known: string
  proof: Awaited<ReturnType<AskSource>>
}

/** Attempts at a time for all sources together: a slow directory must not pile up sign-ins. */
const MAX_ASKING = 50
let asking = 0
/** How long directories may take to say whether they know a name of which it is not known whose it is. */
export const PATIENCE_MS = 5_000

/**
 * Whether an outside source confirms this name and password. People of a source are checked there
 * and nowhere else, so the administrator of a directory can't become a local person, or one of
 * another directory, of the same name. Makes the person's row at the first sign-in, where that is
 * allowed, and updates it at every one.
 * @param row of the person of that name, if there is one
 */
export async function proveOutside(
  kernel: Kernel,
  { username, password, address }: Omit<Attempt, 'password'> & { password?: string | null },
  row: User | undefined,
): Promise<OutsideProof | { error: string; text: string; values: Record<string, unknown> } | undefined> {
  // Many directories take an empty password for an anonymous bind, which succeeds.
  if (!password) return undefined
  // Nobody else is asked for a person of here: which sources there are is not even looked up.
  if (row && row.source !== 'ldap' && row.source !== 'radius') return undefined
  const all = await sourcesFor(kernel)
  const sources = row ? all.filter((source) => isOf(row, source)) : mayMake(all, username)
  // Those that tell of people are asked before those that know names alone, and these one after the other:
  // a password goes to the next once the one before has refused it.
  const rounds = [
    sources.filter(({ describes }) => describes),
    ...sources.filter(({ describes }) => !describes).map((source) => [source]),
  ]
  for (const round of rounds.filter(({ length }) => length)) {
    if (asking >= MAX_ASKING) return unreachable()
    asking++
    let answer: Answer | undefined
    try {
      answer = await askInOrder(
        round.map((source) => askOf(kernel, source, { username, password, address }, row !== undefined)),
        PATIENCE_MS,
      )
    } catch (error) {
      kernel.app.log.warn({ err: error }, 'an outside source could not be asked for a sign-in')
      return unreachable()
    } finally {
      asking--
    }
    if (!answer) continue
    const { known } = answer
    if (answer.proof) return settle(kernel, { username, address }, { ...answer, proof: answer.proof })
    // Directories ignore case: other spellings of a name must not give more attempts.
    if (known !== username) await countFailure(kernel.db, settingsOf(kernel), known, address)
  }
  return undefined
}

/**
 * After a wrong password, asks the directories for the name that were not asked yet, since its person
 * is somebody else's: nobody can measure whose a name is, or whether there is one.
 */
export async function askTheRest(kernel: Kernel, username: string, row: User | undefined): Promise<void> {
  const rest = (await sourcesFor(kernel)).filter((source) => !(row ? isOf(row, source) : source.create))
  const asks = rest.flatMap((source) => (source.askInVain && !source.isAway() ? [source.askInVain] : []))
  if (!asks.length || asking >= MAX_ASKING) return
  asking++
  const all = Promise.allSettled(asks.map((ask) => ask(username))).finally(() => asking--)
  await inTime(all, PATIENCE_MS, () => new Error('late')).catch(() => {})
}

/** All that are on, in their order. */
async function sourcesFor(kernel: Kernel): Promise<Source[]> {
  const settings = settingsOf(kernel)
  const mayCreate = !settings.get('ONLY_ALLOW_EXIST_USER_AUTH')
  const directories = (await sourcesInForce(kernel)).map((one) => ({
    source: 'ldap' as const,
    directory: one.id,
    backend: 'LDAP/AD',
    ask: proveByLdap(one),
    create: mayCreate && !one.existingOnly,
    describes: true,
    isAway: () => isAway(one.id),
    askInVain: (username: string) => askInVain(one, username),
  }))
  const servers = (await radiusInForce(kernel)).map((one) => ({
    source: 'radius' as const,
    directory: one.id,
    backend: 'Radius',
    ask: proveByRadius(one),
    create: mayCreate && !one.existingOnly,
    describes: false,
    nameSuffix: one.nameSuffix,
    isAway: () => false,
  }))
  return [...directories, ...servers]
}

/** Those that may make a person of this name. */
function mayMake(all: readonly Source[], username: string): Source[] {
  const named = all.flatMap((source) =>
    source.nameSuffix === undefined ? [] : [{ ...source, nameSuffix: source.nameSuffix }],
  )
  return [...all.filter(({ nameSuffix }) => nameSuffix === undefined), ...serversFor(named, username)].filter(
    ({ create }) => create,
  )
}

const isOf = (row: User, { source, directory }: Origin) => row.source === source && row.directory_id === directory

/** Asks one source; it takes its turn unless the person that it knows is somebody else's. */
const askOf =
  (kernel: Kernel, source: Source, { username, password, address }: Attempt, isOwn: boolean): Ask<Answer> =>
  async (turn) => {
    const answer: Answer = { source, known: username, proof: undefined }
    // For its own people it is always asked: it may be back.
    if (!isOwn && source.isAway()) throw new Error('a directory was away a moment ago')
    answer.proof = await source.ask(kernel, { username, password }, async (name) => {
      if (name !== username) {
        const row = await findUser(kernel.db, { username: name })
        if (row && !isOf(row, source)) return false
        answer.known = name
        if (await findLock(kernel.db, settingsOf(kernel), name, address)) {
          await turn()
          return false
        }
      }
      return turn()
    })
    return answer
  }

/** Stores what the source says of the person, who has proven to be the one. */
async function settle(
  kernel: Kernel,
  { username, address }: Omit<Attempt, 'password'>,
  { source: { source, directory, backend, create, describes }, known, proof }: Required<Answer> & { proof: object },
): ReturnType<typeof proveOutside> {
  const { person, keep } = proof as NonNullable<Answer['proof']>
  const { saved, refused } = await savePeople(kernel, [person], { source, directory, create, update: describes })
  const reason = refused.values().next().value
  if (reason)
    return {
      error: ([REFUSED.source, REFUSED.directory, REFUSED.provider] as string[]).includes(reason)
        ? 'backend_not_match'
        : 'user_invalid',
      text: reason,
      values: { email: person.email },
    }
  if (saved[0]) await keep?.(saved[0].id)
  if (known !== username) await forgetFailures(kernel.db, known, address)
  return { username: person.username, backend }
}

const unreachable = () => ({
  error: 'source_unavailable',
  text: 'The directory that checks your password cannot be reached. Try again later, or tell an administrator.',
  values: {},
})
