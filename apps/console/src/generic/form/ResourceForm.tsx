import { lazily } from '../../design/lazily.tsx'

/** A form of groups of fields, for dialogs and tabs; pages of their own use FormPage. */
export const ResourceForm = lazily(() => import('./ResourceFormBody.tsx').then((m) => m.ResourceFormBody))
