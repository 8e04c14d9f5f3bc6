import type { SqlDialect } from '@sallyport/contract/socket/workbench.ts'

export type { SqlDialect }
