/** Every line to the gateway: what is said on it besides `LINE`. */
import { CLUSTER } from './cluster.ts'
import { DESKTOP, JOINED, WATCHED } from './desktop.ts'
import { KEYS } from './keys.ts'
import { LINE } from './line.ts'
import { TERMINAL } from './terminal.ts'
import { WORKBENCH } from './workbench.ts'

export const PROTOCOLS = {
  line: LINE,
  terminal: TERMINAL,
  desktop: DESKTOP,
  joined: JOINED,
  watched: WATCHED,
  workbench: WORKBENCH,
  keys: KEYS,
  cluster: CLUSTER,
} as const
export type ProtocolName = keyof typeof PROTOCOLS
