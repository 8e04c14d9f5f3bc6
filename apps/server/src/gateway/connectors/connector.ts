import type { Kernel } from '../../kernel/kernel.ts'
import type { Kind, Kinds } from '../kinds/index.ts'
import type { ConnectionTarget } from '../targets/connection-target.ts'

export interface ConnectOptions<K extends Kind> {
  /** With its secrets opened; the connector goes through the target's gateways when it has some. */
  target: ConnectionTarget
  host: string
  port: number
  /** The person's side: what is to be run, in which window. */
  end: Kinds[K]['end']
  /**
   * Answers what the machine asks beyond the stored secret; undefined when the person can't or
   * won't.
   */
  answer(prompt: string, echo: boolean): Promise<string | undefined>
  /** Gives up; its reason is thrown. */
  signal: AbortSignal
}

/**
 * One protocol: how a machine is reached and signed in to, and which kind of session comes of it.
 */
export interface Connector<K extends Kind = Kind> {
  protocol: string
  kind: K
  /**
   * Throws SshError or SessionRefusal. The identity of the machine is checked before any secret
   * goes out.
   */
  open(kernel: Kernel, options: ConnectOptions<K>): Promise<Kinds[K]['machine']>
}

export type AnyConnector = { [K in Kind]: Connector<K> }[Kind]
