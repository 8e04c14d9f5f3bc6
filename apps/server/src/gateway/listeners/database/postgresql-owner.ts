import type { Socket } from 'node:net'
import type { StatementOwner } from '../../kinds/statements/streams.ts'
import { report } from '../../protocols/postgresql/messages.ts'
import type { PostgresqlWire } from '../../protocols/postgresql/postgresql-wire.ts'
import { wordsOf } from '../../session/notice.ts'
import type { Person } from '../../session/person.ts'

/** https://www.postgresql.org/docs/18/errcodes-appendix.html */
const SUCCESSFUL = '00000'
const WARNING = '01000'
const ADMIN_SHUTDOWN = '57P01'
/** A client that does not read what it was sent is left after this. */
const CLOSE_MS = 5_000

/** The client's end of a session. `onDrained`: see `StatementOwner.write`. */
export function postgresqlOwner(
  socket: Socket,
  wire: PostgresqlWire,
  { language }: Person,
  onDrained: () => void,
): StatementOwner {
  const say = (bytes: Buffer) => {
    if (wire.server.isBetweenMessages) socket.write(bytes)
    else wire.server.say(bytes)
  }
  return {
    write(bytes) {
      if (socket.write(bytes)) return true
      if (!socket.listenerCount('drain')) socket.once('drain', onDrained)
      return false
    },
    // Every statement has what takes its place at the server.
    refuse: () => {},
    tell(what) {
      const words = wordsOf(what, language)
      if (what.urgency === 'last') say(report('FATAL', { code: ADMIN_SHUTDOWN, message: words }))
      else if (what.urgency === 'urgent') say(report('WARNING', { code: WARNING, message: words }))
      else say(report('NOTICE', { code: SUCCESSFUL, message: words }))
    },
    close() {
      socket.end()
      setTimeout(() => socket.destroy(), CLOSE_MS).unref()
    },
  }
}
