import type { Patch } from './patch.ts'

/**
 * ssh2 cuts what it sends by the size of packets that the other side states when a channel is
 * opened, be it none: then it sends empty packets for ever, and the process does nothing else. Sizes
 * in which two megabytes would take seconds are refused as well.
 */
export const sendPacketSize: Patch = [
  {
    file: 'protocol/handlers.misc.js',
    was: 'if (channelInfo === undefined) {',
    is: 'if (channelInfo === undefined || packetSize < 256) {',
  },
  {
    file: 'protocol/handlers.misc.js',
    was: 'if (packetSize === undefined) {',
    is: 'if (packetSize === undefined || packetSize < 256) {',
  },
]
