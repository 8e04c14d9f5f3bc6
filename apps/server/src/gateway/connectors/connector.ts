import type { Language } from '../../kernel/i18n/translate.ts'
import type { Kernel } from '../../kernel/kernel.ts'
import type { Kind, Kinds } from '../kinds/index.ts'
import type { MachineConnections } from '../machines/machine-connections.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'

export interface ConnectOptions<K extends Kind> {
  /** With its secrets opened. The connector goes through one of its gateways if it has any. */
  target: ConnectionTarget
  host: string
  port: number
  /** The person's side: what to run, in which window. */
  end: Kinds[K]['end']
  /**
   * Answers what the machine asks besides the stored secret; undefined when the person can't or
   * won't.
   */
  answer(prompt: string, echo: boolean): Promise<string | undefined>
  /**
   * Language of messages that a machine does not write itself; undefined where nobody reads them.
   */
  language?: Language
  /** Other channels of the person to the same machine, which may already be logged in. */
  machines?: MachineConnections | undefined
  /** Cancels; its reason is thrown. */
  signal: AbortSignal
}

/** One protocol: how a machine is reached and logged in to, and what kind of session that gives. */
export interface Connector<K extends Kind = Kind> {
  protocol: string
  kind: K
  /**
   * Throws SshError or SessionRefusal. The machine's identity is checked before any secret is sent.
   */
  open(kernel: Kernel, options: ConnectOptions<K>): Promise<Kinds[K]['machine']>
}

export type AnyConnector = { [K in Kind]: Connector<K> }[Kind]
