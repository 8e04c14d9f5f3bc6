import { timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import type { StatementSession } from '../../kinds/statements/statement-session.ts'
import type { StatementOwner } from '../../kinds/statements/streams.ts'
import { int32, message, report, SERVER } from '../../protocols/postgresql/messages.ts'
import { PostgresqlWire } from '../../protocols/postgresql/postgresql-wire.ts'
import { wordsOf } from '../../session/notice.ts'
import type { Person } from '../../session/person.ts'
import { askPassword } from './postgresql-start.ts'
import type { StatementClient } from './serve-statements.ts'

/** https://www.postgresql.org/docs/18/errcodes-appendix.html */
const SUCCESSFUL = '00000'
const WARNING = '01000'
const INVALID_AUTHORIZATION = '28000'
const ADMIN_SHUTDOWN = '57P01'
export const TOO_MANY_CONNECTIONS = '53300'
export const PROTOCOL_VIOLATION = '08P01'
const AUTHENTICATED = message(SERVER.authentication, int32(0))

/** Sessions by the number with which their clients cancel statements. */
export type Cancellable = Map<number, { key: Buffer; live: StatementSession }>

/** A client of PostgreSQL that has sent its startup packet. */
export function postgresqlClient(
  socket: Socket,
  parameters: ReadonlyMap<string, string>,
  cancellable: Cancellable,
): StatementClient {
  const wire = new PostgresqlWire(parameters)
  return {
    socket,
    wire,
    name: parameters.get('user') ?? '',
    password: () => askPassword(socket),
    admitted: () => void socket.write(AUTHENTICATED),
    refused(why, message) {
      const code = why === 'violation' ? PROTOCOL_VIOLATION : INVALID_AUTHORIZATION
      socket.write(report('FATAL', { code, message }))
    },
    say: (message) => void socket.write(report('NOTICE', { code: SUCCESSFUL, message })),
    owner: (person) => ownerOf(socket, wire, person),
    lives(live) {
      const { process, key } = wire.cancelKey
      cancellable.set(process, { key, live })
      return () => void cancellable.delete(process)
    },
  }
}

function ownerOf(socket: Socket, wire: PostgresqlWire, { language }: Person): Pick<StatementOwner, 'refuse' | 'tell'> {
  const say = (bytes: Buffer) => {
    if (wire.server.isBetweenMessages) socket.write(bytes)
    else wire.server.say(bytes)
  }
  return {
    // Every statement has what takes its place at the server.
    refuse: () => {},
    tell(what) {
      const words = wordsOf(what, language)
      if (what.urgency === 'last') say(report('FATAL', { code: ADMIN_SHUTDOWN, message: words }))
      else if (what.urgency === 'urgent') say(report('WARNING', { code: WARNING, message: words }))
      else say(report('NOTICE', { code: SUCCESSFUL, message: words }))
    },
  }
}

/** A client without the key cancels nothing, and hears nothing. */
export function cancel(cancellable: Cancellable, process: number, key: Buffer): void {
  const found = cancellable.get(process)
  if (found && found.key.length === key.length && timingSafeEqual(found.key, key)) found.live.cancel()
}
