import { InboxIcon } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../Button.tsx'
import { EmptyState } from '../EmptyState.tsx'
import { Notice } from '../Notice.tsx'
import { Progress } from '../Progress.tsx'
import { Tabs } from '../Tabs.tsx'

const TABS = [
  { value: 'facts', label: 'Details' },
  { value: 'history', label: 'History' },
]

/** What says how things stand, and tabs. */
export default function NoticesGallery() {
  const [tab, setTab] = useState('facts')
  return (
    <>
      {(['info', 'good', 'warning', 'danger'] as const).map((tone) => (
        <Notice key={tone} role="note" tone={tone} title={tone} action={<Button size="small">Act</Button>}>
          More about it, in a line below.
        </Notice>
      ))}
      <Notice role="note" tone="info" title="It can be closed" onClose={() => {}} />
      <EmptyState icon={<InboxIcon />} title="Nothing here yet" action={<Button>Create</Button>}>
        What it would be good for.
      </EmptyState>
      <Progress aria-label="Half" percent={50} isFigureShown />
      <Progress aria-label="Done" percent={100} isFigureShown />
      <Progress aria-label="Failed" percent={70} isFailed isFigureShown />
      <Progress aria-label="Unknown" percent={undefined} />
      <Tabs aria-label="Tabs" tabs={TABS} value={tab} onChange={setTab}>
        {tab}
      </Tabs>
    </>
  )
}
