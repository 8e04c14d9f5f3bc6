/**
 * Messages between a connection to an Oracle database, in its thread, and the rest of the gateway.
 */

/** Start message of the thread. */
export interface DriverStart {
  username: string
  password: string
  /** Service of the database, as its listener knows it. */
  service: string
  /** Name that the connection gives itself. */
  program: string
}

export type ToDriver =
  /** From the server. */
  | { say: 'bytes'; bytes: Uint8Array }
  /** So many for the server have gone out. */
  | { say: 'sent' }
  /** The server has hung up. */
  | { say: 'hung up' }
  | { say: 'run'; text: string }
  /** The rows that were sent are dealt with. */
  | { say: 'more' }
  | { say: 'cancel' }
  | { say: 'change password'; old: string; changed: string }
  | { say: 'leave' }

export type FromDriver =
  /** For the server. */
  | { event: 'bytes'; bytes: Uint8Array }
  /** So many of the server's have been read. */
  | { event: 'read'; bytes: number }
  | { event: 'signed in'; version: string; service: string }
  | { event: 'refused'; error: DriverError }
  /** Nothing more comes. */
  | { event: 'over' }
  | DriverAnswer

/** Answers to a statement, or to a change of password; the last is `ready`. */
export type DriverAnswer =
  | { event: 'columns'; columns: readonly { name: string; isNumber: boolean }[] }
  | { event: 'rows'; rows: readonly ShownRow[] }
  | { event: 'notice'; words: string }
  /** A table has ended, or a statement that brings none. */
  | { event: 'done'; rows: number | undefined }
  | { event: 'failed'; error: DriverError }
  | { event: 'ready'; isInTransaction: boolean }

export type ShownRow = readonly ({ text: string; isCut: boolean } | undefined)[]

export interface DriverError {
  /** As the server has it, such as `ORA-00942`, or the driver, `NJS-…`; empty where there is none. */
  code: string
  message: string
}
