/**
 * Databases or clusters that somebody was granted. There is no domain for them yet, so nobody was
 * granted any.
 */
export async function findGrantedApplications(
  _userId: string,
  _kind: 'database' | 'kubernetes',
): Promise<readonly never[]> {
  return []
}
