import type { ComponentType } from 'react'

/** Props of a page that belongs to no resource. */
export interface PageProps {
  /** Route title in the person's language. */
  title: string
}

/** A page, and a way to ask the server for what it shows first, before it is drawn. */
export type PageComponent = ComponentType<PageProps> & { ask?: () => void }
