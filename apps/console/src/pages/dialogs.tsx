/** Dialogs that are opened by an action, not drawn by a page. They live outside of the page, so they bring the query client along. */
import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { ask, showDialog } from '../app/feedback.tsx'
import { RemoteSelect, type RemoteSelectProps } from '../generic/widgets/RemoteSelect.tsx'
import { t } from '../lib/i18n.ts'
import { queryClient } from '../lib/query.ts'

/** Asks with anything as content that may read from the server; true when confirmed. */
export function askWith(title: string, content: ReactNode, okText = t('Confirm')): Promise<boolean> {
  return ask({ title, content: <QueryClientProvider client={queryClient}>{content}</QueryClientProvider>, okText })
}

/** Shows anything that may read from the server. */
export function showWith(title: string, content: ReactNode): void {
  showDialog({ title, content: <QueryClientProvider client={queryClient}>{content}</QueryClientProvider> })
}

/** Lets a person choose rows of a list; the chosen ids, none when cancelled. */
export async function pick(title: string, from: Pick<RemoteSelectProps, 'path' | 'display' | 'query'>): Promise<string[]> {
  let chosen: string[] = []
  const confirmed = await askWith(title, <Picker from={from} onPicked={(ids) => (chosen = ids)} />)
  return confirmed ? chosen : []
}

function Picker({ from, onPicked }: { from: Pick<RemoteSelectProps, 'path' | 'display' | 'query'>; onPicked: (ids: string[]) => void }) {
  const [value, setValue] = useState<string[]>([])
  return (
    <RemoteSelect
      {...from}
      multiple
      value={value}
      onChange={(next) => {
        const ids = Array.isArray(next) ? next : []
        setValue(ids)
        onPicked(ids)
      }}
    />
  )
}
