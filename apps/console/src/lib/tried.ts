import type { Trial } from '@sallyport/contract/tried.ts'
import { msg } from './i18n.ts'

/** In a form about somebody else's product: undefined where it was tried with that product. */
export const untriedHelp = (trial: Trial | undefined): string | undefined =>
  trial?.tried === 'stand-in' ? msg('Not yet tried with the product itself: begin with a small part.') : undefined
