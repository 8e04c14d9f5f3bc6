import type ssh2 from 'ssh2'
import { settingsOf } from '../../../domains/settings/index.ts'
import { inBackground } from '../../../kernel/background.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Gateway } from '../../gateway.ts'
import type { Program } from '../../kinds/terminal/streams.ts'
import { notice, wordsOf } from '../../session/notice.ts'
import type { Person } from '../../session/person.ts'
import { Menu } from '../menu/menu.ts'
import { type ChannelWork, closeChannel, runProgram } from './program-channel.ts'

const MINUTE_MS = 60_000

/**
 * The interactive menu on a channel with a terminal, and the sessions opened from it, one after the
 * other.
 */
export function runMenu(
  kernel: Kernel,
  gateway: Gateway,
  channel: ssh2.ServerChannel,
  person: Person,
  terminal: NonNullable<Program['terminal']>,
  env: Program['env'] = {},
): ChannelWork {
  const { promise: over, resolve: isOver } = Promise.withResolvers<void>()
  let size = terminal.size
  let session: ChannelWork | undefined
  let idle: NodeJS.Timeout | undefined
  const waitForKeys = () => {
    clearTimeout(idle)
    const minutes = settingsOf(kernel).get('SECURITY_MAX_IDLE_TIME')
    idle = setTimeout(
      () => work.end(notice('idle', 'You were inactive for a while: the connection is closed')),
      minutes * MINUTE_MS,
    )
  }
  const onData = (bytes: Buffer) => {
    waitForKeys()
    menu.input(bytes)
  }
  /**
   * While a client does not read, its input is not read either: it would produce ever more output.
   */
  const write = (text: string) => {
    if (channel.write(text) || channel.listenerCount('drain')) return
    channel.pause()
    channel.once('drain', () => session ?? channel.resume())
  }
  const menu = new Menu(kernel, {
    person,
    terminal: { write, size: () => size },
    async connect(choice) {
      clearTimeout(idle)
      channel.off('data', onData)
      const program = { terminal: { ...terminal, size }, env }
      session = runProgram(kernel, gateway, channel, { person, ...choice, program }, { keepOpen: true })
      await session.over
      session = undefined
      waitForKeys()
      channel.on('data', onData)
      channel.resume()
    },
  })
  waitForKeys()
  channel.on('data', onData)
  channel.once('end', () => menu.close())
  channel.once('close', () => menu.close())
  inBackground(
    menu.run().finally(() => {
      clearTimeout(idle)
      closeChannel(channel, { exitCode: 0 }, isOver)
    }),
  )
  const work: ChannelWork = {
    over,
    resize(next) {
      size = next
      session?.resize(next)
      if (!session) menu.resize()
    },
    signal: (name) => session?.signal(name),
    end(words) {
      if (session) session.end(words)
      else channel.write(`\r\n\x1b[31m${wordsOf(words, person.language)}\x1b[0m\r\n`)
      menu.close()
    },
  }
  return work
}
