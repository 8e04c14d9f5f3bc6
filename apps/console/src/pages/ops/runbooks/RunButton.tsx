import type { Runbook } from '@sallyport/contract/resources/ops/runbook.ts'
import { useNavigate } from 'react-router'
import { Button } from '../../../design/Button.tsx'
import type { DetailProps } from '../../../generic/view/detail-view.ts'
import { t } from '../../../lib/i18n.ts'
import { RUN_TAB, runAddress } from '../runbook-address.ts'

/** What people come for; where it is run, that page has a button of its own. */
export function RunButton({ row: { id }, tab }: DetailProps<Runbook> & { tab: string }) {
  const navigate = useNavigate()
  if (tab === RUN_TAB) return null
  return (
    <Button type="primary" onClick={() => void navigate(runAddress(id) ?? '')}>
      {t('Run@@action')}
    </Button>
  )
}
