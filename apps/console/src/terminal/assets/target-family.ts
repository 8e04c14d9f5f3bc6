import { familyOf, type TargetFamily } from '@sallyport/contract/target.ts'

/** How addresses call applications (contract web-terminal, address_parameters `type`). */
export const APPLICATION_KINDS: readonly string[] = ['database_app', 'k8s_app', 'remote_app']

/** The family that an address names; `kind` is its `type`, or a protocol. */
export const familyOfAddress = (kind: string | null): TargetFamily =>
  kind === null || kind === 'asset' ? 'asset' : APPLICATION_KINDS.includes(kind) ? 'application' : familyOf(kind)
