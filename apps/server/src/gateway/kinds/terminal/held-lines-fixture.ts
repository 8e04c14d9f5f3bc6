/** Real shells behind sshd and telnetd, whose lines a guard of the test's own judges. */
import { createServer, connect as dial } from 'node:net'
import { expect, vi } from 'vitest'
import { startTelnetd, type Telnetd } from '../../connectors/telnet/telnetd-fixture.ts'
import { type Gateway, openGateway } from '../../gateway.ts'
import { confirmation } from '../../guard/confirmation-fixture.ts'
import type { Decision, Guard, Unit, Verdict } from '../../guard/guard.ts'
import { openTerminalFixture, type TerminalFixture } from '../../listeners/web/terminal-fixture.ts'
import { notice } from '../../session/notice.ts'
import type { Person } from '../../session/person.ts'
import type { TerminalSession } from './terminal-session.ts'

const ENVIRONMENT =
  "env -i TERM=xterm PATH=/usr/bin:/bin LANG=C.UTF-8 HOME=/nonexistent HISTFILE= HISTCONTROL=ignorespace PS1='here$ '"
export const SHELLS = {
  bash: `${ENVIRONMENT} bash --norc --noprofile -i`,
  zsh: `${ENVIRONMENT} zsh -f -i`,
  dash: `${ENVIRONMENT} dash -i`,
}
export type Shell = keyof typeof SHELLS
export const ALL = Object.keys(SHELLS) as Shell[]
/** Shells with a line editor. */
export const EDITORS: Shell[] = ['bash', 'zsh']

export type Protocol = 'ssh' | 'telnet'
/** Each of them through each protocol. */
export const everywhere = (shells: readonly Shell[]) =>
  (['ssh', 'telnet'] as const).flatMap((protocol) => shells.map((name) => [name, protocol] as const))

/** Output that is not seen by then does not come. */
const SEEN_LIMIT_MS = 60_000

/** How long a shell may take to run a line; it is given another one then. */
const MARK_MS = 3000
const PROMPT = 'here$ '

/** A prompt behind the output of a command. */
export const promptBehind = (output: string) => new RegExp(`${output}\\r\\n[\\s\\S]*here\\$ `)

/** As `expect.poll`, which knows no tests at the same time. */
export const until = (check: () => unknown) => vi.waitFor(check, { timeout: SEEN_LIMIT_MS, interval: 20 })

/** Message of a line that was denied. */
export const DENIED = 'no such thing here'

/** An open shell, with a guard of its own. */
export interface OpenShell {
  live: TerminalSession
  /** The judged lines, in order. */
  judged: Unit[]
  texts(): string[]
  /** Whether the guard is on; it is off while the shell starts. */
  applies: boolean
  /** The decision of others about a doubtful line. */
  decided: PromiseWithResolvers<Decision>
  /** The guard's answer about the line that it ponders. */
  pondered: PromiseWithResolvers<Verdict>
  /** Whether it is asked, and nobody waits for it any more. */
  dropped: AbortSignal | undefined
  /** Types, and waits until that is to be seen since. */
  type(keys: string, wanted: string | RegExp): Promise<string>
  /** Leaves the current line by Ctrl-C, and waits until the shell runs what is typed. */
  giveUp(): Promise<string>
  /** Text shown since the last input. */
  text(): string
}

export interface HeldLines {
  fixture: TerminalFixture
  /** Shells of tests that run at the same time know nothing of each other. */
  shell(name: Shell, how?: { protocol?: Protocol; delay?: number }): Promise<OpenShell>
  close(): Promise<void>
}

type Guarded = Omit<OpenShell, 'live' | 'type' | 'giveUp' | 'text'>

/**
 * Their guard denies what is `forbidden`, has others asked about what is `doubtful`, and answers what
 * is `ponderous` when the test says so.
 */
export async function openHeldLines(): Promise<HeldLines> {
  const fixture = await openTerminalFixture()
  const open: TerminalSession[] = []
  const running: Telnetd[] = []
  const slow: ReturnType<typeof createServer>[] = []
  const guards = new Map<Person, Guard>()
  const gateway: Gateway = await openGateway(fixture.server.kernel, {
    guardOf: ({ person }) => guards.get(person) as Guard,
  })
  const reached = async (machine: number, delay: number) => {
    if (!delay) return machine
    const far = farAway(machine, delay)
    slow.push(far)
    await new Promise<void>((listening) => far.listen(0, '127.0.0.1', listening))
    return (far.address() as { port: number }).port
  }
  const targetOf = async (name: Shell, protocol: Protocol, delay: number) => {
    if (protocol === 'telnet') {
      const telnetd = await startTelnetd({ shell: SHELLS[name] })
      running.push(telnetd)
      const { username, password } = telnetd
      const port = await reached(telnetd.port, delay)
      return fixture.target(
        { port, protocols: [`telnet/${port}`] },
        { username, password, protocol, login_mode: 'auto' },
      )
    }
    if (!delay) return { target: fixture.asset, systemUser: fixture.systemUser }
    const port = await reached(fixture.sshd.port, delay)
    const { username, privateKey: private_key } = fixture.sshd
    return fixture.target({ port }, { username, private_key, login_mode: 'auto' })
  }

  return {
    fixture,
    async shell(name, { protocol = 'ssh', delay = 0 } = {}) {
      const judged: Unit[] = []
      const guarded: Guarded = {
        judged,
        texts: () => judged.map(({ text }) => text),
        applies: false,
        decided: Promise.withResolvers(),
        pondered: Promise.withResolvers(),
        dropped: undefined,
      }
      const person: Person = {
        ...fixture.person,
        name: 'Walker',
        language: 'en',
        remoteAddress: '127.0.0.1',
        loginFrom: 'WT',
      }
      guards.set(person, guardOf(guarded))
      const { target, systemUser } = await targetOf(name, protocol, delay)
      let text = ''
      let look = () => {}
      const terminal = { type: 'xterm', size: { cols: 80, rows: 24 } }
      const live = await gateway.open(
        {
          kind: 'terminal',
          person,
          target: { family: 'asset', id: target },
          systemUserId: systemUser,
          program: protocol === 'telnet' ? { terminal } : { command: Buffer.from(SHELLS[name]), terminal },
          dialogue: { ask: () => Promise.resolve(undefined) },
          owner: {
            write: (bytes) => {
              text += bytes.toString()
              look()
              return true
            },
            close: () => {},
          },
        },
        new AbortController().signal,
      )
      open.push(live)
      // zsh says behind its prompt that it takes pastes; one that comes before is another case.
      const isReady = () => name !== 'zsh' || text.indexOf('\x1b[?2004h', text.lastIndexOf(PROMPT)) > 0
      const isSeen = (wanted: string | RegExp) => {
        if (typeof wanted === 'string') return text.includes(wanted)
        return wanted.test(text) && (!wanted.source.endsWith(PROMPT.replace('$', '\\$')) || isReady())
      }
      const seen = (wanted: string | RegExp, limit = SEEN_LIMIT_MS) =>
        new Promise<string>((resolve, reject) => {
          const late = setTimeout(() => reject(new Error(`never saw ${wanted} in ${JSON.stringify(text)}`)), limit)
          look = () => {
            if (!isSeen(wanted)) return
            look = () => {}
            clearTimeout(late)
            resolve(text)
          }
          look()
        })
      const type = (keys: string, wanted: string | RegExp, limit?: number) => {
        text = ''
        live.input(Buffer.from(keys))
        return seen(wanted, limit)
      }
      const giveUp = async () => {
        // The gateway's own clearing goes before: of two interrupts at once a shell may take one.
        await until(() => expect(live.pendingInput).toBe(0))
        let all = ''
        // A shell that notices an interrupt late loses the keys that came meanwhile: another mark then. None is kept
        // in the history, of zsh once another line has come.
        const behind = name === 'zsh' ? ' \r' : ''
        for (let mark = 701; ; mark++) {
          live.input(Buffer.from('\x03'))
          const ran = new RegExp(promptBehind(`mark-${mark}`).source + (behind && '[\\s\\S]*\\n[\\s\\S]*here\\$ '))
          const isOver = await type(`\r echo mark-$((${mark} + 0))\r${behind}`, ran, MARK_MS).catch(() => false)
          all += text
          if (isOver) return all
        }
      }
      await seen(/here\$ /)
      const options = name === 'zsh' ? 'setopt histignorespace; ' : ''
      await type(`${options}PS2='more> '; echo set-$((1 + 1))\r`, promptBehind('set-2'))
      guarded.applies = true
      return Object.assign(guarded, { live, type, giveUp, text: () => text })
    },
    async close() {
      await Promise.all(open.map((live) => live.end('left')))
      await gateway.close()
      await fixture.close()
      for (const one of running) await one.close()
      for (const one of slow) one.close()
    },
  }
}

function guardOf(of: Guarded): Guard {
  return {
    get applies() {
      return of.applies
    },
    judge(unit, dropped) {
      of.judged.push(unit)
      of.dropped = dropped
      const { text } = unit
      if (text.includes('forbidden')) return { action: 'deny', why: notice('denied', DENIED, {}, 'urgent') }
      if (text.includes('doubtful')) return confirmation(notice('held', 'somebody is asked'), of.decided.promise)
      return text.includes('ponderous') ? of.pondered.promise : { action: 'allow' }
    },
  }
}

/** A machine to which every byte takes so many milliseconds, there and back. */
function farAway(port: number, delay: number): ReturnType<typeof createServer> {
  return createServer((near) => {
    const far = dial(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('data', (bytes) => void setTimeout(() => to.write(bytes), delay))
      from.on('error', () => to.destroy())
      from.on('close', () => void setTimeout(() => to.destroy(), delay))
    }
  })
}
