import { WIRE } from '@sallyport/contract/constants.ts'
import { Result } from 'antd'
import { t } from '../lib/i18n.ts'

/** Why a page of its own opens nothing, and the way to where something can be opened. */
export function NothingHere({ why }: { why: string }) {
  return (
    <Result
      className="wt-nothing"
      status="warning"
      title={why}
      extra={
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
