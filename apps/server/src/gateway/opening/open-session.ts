import { finishSession } from '../../domains/terminal/index.ts'
import { translate } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import { connectionRefusal, placeOf } from '../connectors/connection-refusal.ts'
import { type Connector, connectorOf, portOf } from '../connectors/index.ts'
import { hasDatabases, withinDatabases } from '../guard/database-guard.ts'
import type { GuardOf } from '../guard/guard.ts'
import type { Kind, Kinds, SessionOpening } from '../kinds/index.ts'
import type { TargetStream } from '../kinds/terminal/streams.ts'
import { type RemoteStart, remoteStart } from '../remote-apps/start.ts'
import { loadTarget } from '../session/load-target.ts'
import { askFor } from '../session/questions-of-person.ts'
import { SessionRefusal } from '../session/refusal.ts'
import { waitForReview } from '../session/target-review.ts'
import { type ConnectionTarget, withCertificate } from '../targets/connection-target.ts'
import { askMissingCredentials } from './missing-credentials.ts'
import { askPermission } from './permission.ts'
import { openRecords, recordSession } from './session-records.ts'
import { checkSessionLimits, createSessionRow } from './session-row.ts'

export interface SessionContext {
  /** Id of this gateway, for the session's row. */
  terminalId: string
  guardOf: GuardOf
}

/**
 * From a request to a live session: permission, limits, target and secret, review, row, recording,
 * machine. Throws SessionRefusal with plain words for the person; an attempt that got as far as
 * the machine leaves its row, marked as failed.
 */
export async function openSession<K extends Kind>(
  kernel: Kernel,
  { terminalId, guardOf }: SessionContext,
  opening: SessionOpening<K>,
): Promise<Kinds[K]['session']> {
  const { person, target: wanted, systemUserId, kind, dialogue, signal, databases } = opening
  const open = kernel.secrets.open('session', `${wanted.family} ${wanted.id} for ${person.id}`)
  const question = { systemUserId, userId: person.id, username: person.username }
  const asked = await askFor(person, async () => {
    signal.throwIfAborted()
    const permission = await askPermission(kernel, opening)
    // Asked again when the row is made; here it saves what the person typed from being used up.
    await checkSessionLimits(kernel, kernel.db, person, wanted)
    return { permission, target: await loadTarget(kernel, wanted, question, open) }
  })
  let { permission } = asked
  const { protocol } = asked.target.systemUser
  const connector = connectorOf(protocol, kind)
  const port = portOf(asked.target)
  const target: ConnectionTarget = {
    ...asked.target,
    detail: opening.detail ?? asked.target.detail,
    credentials: await askMissingCredentials(asked.target, person, dialogue),
    databases: () => databases.names,
  }
  const ticket = opening.isReviewed ? undefined : await waitForReview(kernel, opening, target)
  // The permission may have ended while others thought about it.
  if (ticket) permission = await askPermission(kernel, opening)
  databases.names = permission.databases
  signal.throwIfAborted()

  const session = await createSessionRow(kernel, terminalId, person, target, ticket)
  opening.onCreated?.(session)
  let start: RemoteStart | undefined
  const guard = withinDatabases(guardOf({ session, person, target: wanted, systemUserId, kind }), protocol, databases)
  try {
    const records = await openRecords(kernel, opening, session, target, guard)
    try {
      // Nor may it have ended while a command was being confirmed.
      if (records.isConfirmed) permission = await askPermission(kernel, opening)
      databases.names = permission.databases
      start = target.remoteProgram && remoteStart(kernel, session.id, target.remoteProgram)
      const certified = withCertificate(target, { person: person.username, session: session.id, ticket })
      const destination = start ? { ...certified, shell: start.shell } : certified
      const machine = await connect(kernel, connector, opening, destination, port)
      const live = await recordSession(kernel, opening, session, machine, records, guard)
      start?.belongsTo(live)
      live.permittedUntil = permission.until
      if (hasDatabases(protocol)) {
        const { wire } = opening as Partial<SessionOpening<'statements'>>
        databases.current = () => wire?.place.database ?? (machine as Partial<TargetStream>).prompt?.database() ?? ''
      }
      return live
    } catch (error) {
      await records.discard()
      throw error
    }
  } catch (error) {
    guard.close?.()
    start?.forget()
    kernel.app.log.info({ session: session.id, err: error }, 'session did not come about')
    try {
      await finishSession(kernel.db, session.id, { isSuccess: false })
    } catch (failure) {
      // Its lease ends the row; the person is to hear the reason all the same.
      kernel.app.log.error({ session: session.id, err: failure }, 'the end of a session could not be stored')
    }
    const place = placeOf(target.address, portOf(target))
    throw connectionRefusal(error, { gateways: target.gateways, place }, person)
  }
}

/**
 * Connects while the person sees that it is being done; what the machine asks beyond the stored
 * secret is for them to answer.
 */
async function connect<K extends Kind>(
  kernel: Kernel,
  connector: Connector<K>,
  opening: SessionOpening<K>,
  target: ConnectionTarget,
  port: number,
): Promise<Kinds[K]['machine']> {
  const { person, dialogue, machines, signal } = opening
  const name = [target.credentials.username, target.name].filter(Boolean).join('@')
  const progress = dialogue.progress?.(translate(person.language, 'Connecting to {{target}}', { target: name }))
  const answer = async (prompt: string, echo: boolean) => {
    progress?.pause()
    const given = await dialogue.ask(`\n${prompt}`, { echo })
    if (given === undefined) throw new SessionRefusal('Cancelled')
    progress?.goOn()
    return given
  }
  const address = { target, host: target.address, port }
  try {
    const machine = await connector.open(kernel, {
      ...address,
      end: opening,
      answer,
      language: person.language,
      machines,
      signal,
    })
    if (isOf(connector, 'statements')) {
      const { onReached } = opening as SessionOpening<'statements'>
      // Nobody sits there to be asked.
      const silent = { ...address, answer: async () => undefined }
      onReached?.((end, until) => connector.open(kernel, { ...silent, end, signal: until }))
    }
    return machine
  } finally {
    progress?.end()
  }
}

const isOf = <K extends Kind>(connector: { kind: Kind }, kind: K): connector is Connector<K> => connector.kind === kind
