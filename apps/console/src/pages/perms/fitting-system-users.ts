import { applicationType } from '@sallyport/contract/resources/applications/application-types.ts'
import type { Query } from '../../lib/api.ts'

/**
 * The system users that fit applications of a type: those of its protocol
 * (docs/rules/applications.md#types).
 */
export const fittingSystemUsers = (type: unknown): Query => ({ protocol: applicationType(type)?.protocol })

/** Those that enter machines. */
export const SESSION_PROTOCOLS: Query = { protocol__in: 'rdp,ssh,vnc,telnet' }
