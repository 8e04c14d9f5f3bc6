import { spoken } from '@sallyport/contract/names.ts'
import type { terminalSession } from './tables.ts'

/** The person and the target of a session, in words: `Ann (ann) → web-1 (10.0.0.1)`. */
export const sessionInWords = ({ user, asset }: Pick<typeof terminalSession.$inferSelect, 'user' | 'asset'>): string =>
  `${spoken(user)} → ${spoken(asset)}`
