import { createRequire, registerHooks } from 'node:module'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import type ssh2 from 'ssh2'
import { bothStreams } from './both-streams.ts'
import { certifiedHosts, certifiedLogins, certifiedPeople } from './certificates.ts'
import { chosenCiphers } from './chosen-ciphers.ts'
import { commandBytes } from './command-bytes.ts'
import { compressedPackets } from './compressed-packets.ts'
import { endAfterError } from './end-after-error.ts'
import { endOfReading } from './end-of-reading.ts'
import { forwardedChannels } from './forwarded-channels.ts'
import { forwardedWindows } from './forwarded-windows.ts'
import { generatedKeys } from './generated-keys.ts'
import { guessedKeyExchange } from './guessed-key-exchange.ts'
import { lateSignals } from './late-signals.ts'
import { leftChannels } from './left-channels.ts'
import { packetLength } from './packet-length.ts'
import { paddingSupply } from './padding-supply.ts'
import { type Patch, patched } from './patch.ts'
import { preparedCiphers } from './prepared-ciphers.ts'
import { receiveWindow } from './receive-window.ts'
import { requestReplies } from './request-replies.ts'
import { rsaKeyOffer } from './rsa-key-offer.ts'
import { sendPacketSize } from './send-packet-size.ts'
import { signatureAlgorithms } from './signature-algorithms.ts'
import { smallPackets } from './small-packets.ts'
import { terminalModes } from './terminal-modes.ts'

/** In the order in which they are applied. */
export const PATCHES: Readonly<Record<string, Patch>> = {
  chosenCiphers,
  guessedKeyExchange,
  signatureAlgorithms,
  rsaKeyOffer,
  endAfterError,
  packetLength,
  compressedPackets,
  sendPacketSize,
  receiveWindow,
  bothStreams,
  commandBytes,
  terminalModes,
  requestReplies,
  lateSignals,
  endOfReading,
  leftChannels,
  generatedKeys,
  paddingSupply,
  smallPackets,
  preparedCiphers,
  forwardedChannels,
  forwardedWindows,
  certifiedLogins,
  certifiedHosts,
  certifiedPeople,
}

/** On the library once it has been patched: this module may be evaluated more than once. */
const IS_PATCHED = Symbol.for('sallyport.ssh2.patched')

/**
 * ssh2 with its faults mended, as its sources are loaded: nothing in `node_modules` is changed.
 * Throws when ssh2 is not the release that the patches fit, or was loaded without them before.
 */
export function loadSsh2(patches: readonly Patch[]): typeof ssh2 {
  const require = createRequire(import.meta.url)
  const main = require.resolve('ssh2')
  const loaded = require.cache[main]?.exports
  if (loaded?.[IS_PATCHED]) return loaded
  if (loaded) throw new Error('ssh2 was loaded without its patches before: import it from kernel/ssh/ssh2')
  const folder = `${pathToFileURL(dirname(main))}/`
  const hooks = registerHooks({
    load(url, context, next) {
      const file = next(url, context)
      if (!url.startsWith(folder) || !url.endsWith('.js')) return file
      return { ...file, source: patched(url.slice(folder.length), String(file.source), patches) }
    },
  })
  try {
    return Object.assign(require('ssh2'), { [IS_PATCHED]: true })
  } finally {
    hooks.deregister()
  }
}

export const { Client, Server, utils } = loadSsh2(Object.values(PATCHES))
