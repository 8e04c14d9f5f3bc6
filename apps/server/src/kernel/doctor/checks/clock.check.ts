import { type Check, NotChecked, type Outcome, ok, type Words, warning, wrong } from '../check.ts'
import { lineOf } from '../line-of.ts'
import { clockOffset, NTP_PORT } from './sntp.ts'
import { configuredTimeServers } from './time-servers.ts'

/** Codes of authenticators last 30 s; requests that are signed and stores of files allow some minutes. */
const LATE_MS = 2_000
const USELESS_MS = 15_000
const ANSWER_MS = 5_000

const mend: Words = (say) =>
  say(
    'Have the clock set by time servers (chrony or systemd-timesyncd): one-time codes, passkeys and signed requests fail with a wrong one.',
  )

const againstDatabase: Check = {
  name: 'clock.database',
  title: 'Clock against the database',
  async run(place) {
    const { pool } = await place.database()
    const start = Date.now()
    const { rows } = await pool.query<{ now: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now',
    )
    // It was asked somewhere between: what that leaves open is no deviation.
    const end = Date.now()
    const now = rows[0]?.now ?? 0
    const off = now < start ? now - start : now > end ? now - end : 0
    return judged(off, (say) =>
      say('The clocks of this machine and of the database differ by {{seconds}} s.', { seconds: seconds(off) }),
    )
  },
}

const againstTimeServer: Check = {
  name: 'clock.ntp',
  title: 'Clock against a time server',
  async run({ timeServer }, signal) {
    const [server] = timeServer ? [timeServer] : configuredTimeServers()
    if (!server)
      throw new NotChecked(
        (say) => say('This machine names no time server.'),
        (say) => say('Set up chrony or systemd-timesyncd, or name a server to ask with --time-server.'),
      )
    const [host = '', port] = splitPort(server)
    const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
    try {
      const off = await clockOffset(host, port, limit)
      return judged(off, (say) =>
        say('The clock differs from that of {{server}} by {{seconds}} s.', { server, seconds: seconds(off) }),
      )
    } catch (error) {
      const reason = lineOf(error)
      throw new NotChecked(
        (say) => say('The time server {{server}} does not answer ({{reason}}).', { server, reason }),
        (say) => say('Check that this machine reaches it by UDP, port 123.'),
      )
    }
  },
}

function judged(off: number, words: Words): Outcome {
  const size = Math.abs(off)
  if (size >= USELESS_MS) return wrong(words, mend)
  return size >= LATE_MS ? warning(words, mend) : ok(words)
}

/** With one place behind the point, and no sign: which one is wrong is not known. */
const seconds = (milliseconds: number) => Math.round(Math.abs(milliseconds) / 100) / 10

/** `time.example.com:1123`; an address of IPv6 has its port behind brackets. */
function splitPort(server: string): [string, number] {
  const [, host, port] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(server) ?? []
  return host ? [host, Number(port)] : [server, NTP_PORT]
}

export default [againstDatabase, againstTimeServer]
