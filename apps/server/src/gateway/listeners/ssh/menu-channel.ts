import type ssh2 from 'ssh2'
import { translate } from '../../../kernel/i18n/translate.ts'
import type { Kernel } from '../../../kernel/kernel.ts'
import type { Gateway } from '../../gateway.ts'
import { Menu } from '../../menu/menu.ts'
import type { Person, Program } from '../../types.ts'
import { type ChannelWork, closeChannel, runProgram } from './program-channel.ts'

/** The interactive menu on a channel with a terminal, and the sessions that are opened from it, one after the other. */
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
  const onData = (bytes: Buffer) => menu.input(bytes)
  const menu = new Menu(kernel, {
    person,
    terminal: { write: (text) => void channel.write(text), size: () => size },
    async connect({ assetId, systemUserId }) {
      channel.off('data', onData)
      const program = { terminal: { ...terminal, size }, env }
      session = runProgram(kernel, gateway, channel, { person, assetId, systemUserId, program }, { keepOpen: true })
      await session.over
      session = undefined
      channel.on('data', onData)
      channel.resume()
    },
  })
  channel.on('data', onData)
  channel.once('end', () => menu.close())
  channel.once('close', () => menu.close())
  void menu.run().then(() => closeChannel(channel, { exitCode: 0 }, isOver))
  return {
    over,
    resize(next) {
      size = next
      session?.resize(next)
      if (!session) menu.resize()
    },
    signal: (name) => session?.signal(name),
    end(text) {
      if (session) session.end(text)
      else channel.write(`\r\n\x1b[31m${translate(person.language, text)}\x1b[0m\r\n`)
      menu.close()
    },
  }
}
