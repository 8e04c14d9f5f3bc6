/**
 * The families of things that a session can lead to. What the server knows of a family (how one is
 * found, which actions can be granted) stands with the permissions; here are only their names.
 */
export const TARGET_FAMILIES = ['asset', 'application'] as const

export type TargetFamily = (typeof TARGET_FAMILIES)[number]

/**
 * A target of connections: one machine or one application, by the id in the family's own table.
 */
export type Target = { readonly family: TargetFamily; readonly id: string }

/** Protocols that machines are reached by; every other leads to an application. */
const ASSET_PROTOCOLS: ReadonlySet<string> = new Set(['ssh', 'rdp', 'vnc', 'telnet'])

/**
 * Where the wire has one id for targets of both families, the protocol beside it tells which is
 * meant (docs/rules/terminal.md#session, docs/rules/web-terminal.md#socket_protocol).
 */
export const familyOf = (protocol: string): TargetFamily => (ASSET_PROTOCOLS.has(protocol) ? 'asset' : 'application')
