import { ShareIcon } from 'lucide-react'
import { Button } from '../Button.tsx'
import { Switch } from '../inputs/Switch.tsx'
import { tip } from '../tip.ts'

/** Words under the pointer and with the focus, and controls that say why they do nothing. */
export default function TooltipGallery() {
  return (
    <p style={{ display: 'flex', gap: 8, alignItems: 'center' }}>
      <Button {...tip('Share')} icon={<ShareIcon />} aria-label="Share" />
      <Button {...tip('Share', 'before')} icon={<ShareIcon />} aria-label="Share" />
      <Button whyDisabled="The root organization is read-only">Update</Button>
      <Button type="primary" whyDisabled="Select files first.">
        Download
      </Button>
      <Button type="text" danger whyDisabled="You have no permission to delete this user">
        Delete
      </Button>
      <Switch aria-label="Activate" checked whyDisabled="You cannot disable yourself" onChange={() => {}} />
    </p>
  )
}
