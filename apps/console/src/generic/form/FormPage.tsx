import { lazily } from '../../design/lazily.tsx'

/** Create and update page of a resource (A2.91 to A2.96). */
export const FormPage = lazily(() => import('./FormPageBody.tsx').then((m) => m.FormPageBody))
