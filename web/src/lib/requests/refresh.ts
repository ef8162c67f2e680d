import { queries } from '@/lib/requests/queries';
import { reread } from '@/lib/requests/reread';

/** Reads again what generated operations answered, such as `refresh('sourcesList')`. The stream does the same a moment later. */
export function refresh(...operations: string[]): Promise<void> {
  return reread(queries, ({ queryKey }) => {
    const [key] = queryKey as [{ _id?: string }?];
    return key?._id !== undefined && operations.includes(key._id);
  });
}
