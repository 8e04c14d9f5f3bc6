import { WIRE } from '@sallyport/contract/constants.ts'
import { SearchXIcon } from 'lucide-react'
import { EmptyState } from '../design/EmptyState.tsx'
import { t } from '../lib/i18n.ts'

/** Why a page of its own opens nothing, and the way to where something can be opened. */
export function NothingHere({ why }: { why: string }) {
  return (
    <EmptyState
      className="wt-nothing"
      icon={<SearchXIcon />}
      title={why}
      action={
        <a className="button primary" href={WIRE.webTerminalBase}>
          {t('Web Terminal')}
        </a>
      }
    />
  )
}

/** For addresses that name nothing. */
export function NothingPage() {
  return (
    <main className="wt">
      <NothingHere why={t('There is nothing to open at this address.')} />
    </main>
  )
}
