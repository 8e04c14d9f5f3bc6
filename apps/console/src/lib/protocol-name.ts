import { PROTOCOL_CHOICES } from '@sallyport/contract/resources/assets/protocols.ts'

/** What people call a protocol: SSH for `ssh`. One that has no name of its own stays as it is. */
export const protocolName = (protocol: string): string =>
  (PROTOCOL_CHOICES as Readonly<Record<string, string>>)[protocol] ?? protocol
