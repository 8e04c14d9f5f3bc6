import type { ReactNode } from 'react'

/**
 * A control in each of its states: a file `<Control>.gallery.tsx` exports one as `section`. A state
 * with a value keeps it itself (`Kept`).
 */
export interface GallerySection {
  /** The name of the control's component. */
  title: string
  states: readonly { name: string; draw: () => ReactNode }[]
}
