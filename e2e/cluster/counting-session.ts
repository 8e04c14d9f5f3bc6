/**
 * A session in the web terminal in which every line that is sent comes back, so that a byte that is
 * lost, doubled or changed is seen.
 */
import { openTerminal, type Terminal } from '../../apps/server/src/gateway/listeners/web/terminal-fixture.ts'

/** Between lines of one session; thirty of them make some 100 lines a second. */
export const PAUSE_MS = 300

export interface CountingSession {
  id: string
  terminal: Terminal
  /** Lines that came back, in order. */
  came: string[]
  isOpen: boolean
  /** Throws unless what came is what was sent, byte by byte, up to the last whole line. */
  check(): void
  stop(): void
}

export async function openCountingSession(
  url: string,
  token: string,
  machine: { asset: string; systemUser: string },
): Promise<CountingSession> {
  const terminal = await openTerminal(
    url,
    { token },
    { type: 'ssh', target: machine.asset, systemUser: machine.systemUser },
  )
  await terminal.see(/[#$] /)
  // Without echo and without the line discipline: what is typed comes back once, as it is.
  terminal.type("stty raw -echo; echo rea''dy; exec cat\n")
  await terminal.see('ready')
  const id = terminal.session?.id ?? ''
  const start = terminal.output().length
  let sent = ''
  let count = 0
  const session: CountingSession = {
    id,
    terminal,
    came: [],
    isOpen: true,
    check() {
      const back = terminal.output().subarray(start).toString('utf8').replace(/^\n/, '')
      if (!sent.startsWith(back)) throw new Error(`session ${id} sent ${sent.slice(-300)} and got ${back.slice(-300)}`)
    },
    stop() {
      clearInterval(timer)
      terminal.close()
    },
  }
  void terminal.closed.then(() => {
    session.isOpen = false
    clearInterval(timer)
  })
  const timer = setInterval(() => {
    // The next line when the last one is back.
    const back = terminal.output().subarray(start).toString('utf8')
    const last = `line ${count} of ${id} 第${count}行`
    if (count > 0) {
      if (!back.includes(`${last}\n`)) return
      session.came.push(last)
    }
    count++
    const next = `line ${count} of ${id} 第${count}行\n`
    sent += next
    terminal.type(next)
  }, PAUSE_MS)
  return session
}
