/**
 * Dialogs that are opened by an action, not drawn by a page. They live outside of the page, so they
 * bring the query client along.
 */
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ask, showDialog } from '../design/dialogs/feedback.tsx'
import { t } from '../lib/i18n.ts'
import { queryClient } from '../lib/query.ts'

/** What may read from the server. */
export const inClient = (content: ReactNode) => (
  <QueryClientProvider client={queryClient}>{content}</QueryClientProvider>
)

/** Asks with anything as content that may read from the server; true when confirmed. */
export function askWith(title: string, content: ReactNode, okText = t('Confirm')): Promise<boolean> {
  return ask({ title, content: inClient(content), okText })
}

/** Shows anything that may read from the server. */
export function showWith(title: string, content: ReactNode): void {
  showDialog({ title, content: inClient(content) })
}
