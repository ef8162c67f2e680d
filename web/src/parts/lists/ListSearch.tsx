import classes from '@/parts/lists/Filters.module.css';
import { SearchField } from '@/parts/lists/SearchField';

type Props = {
  /** The screen, in the plural: Sources. */
  screen: string;
  placeholder?: string;
  words: string;
  onChange: (words: string) => void;
};

/** The filter box of a list. */
export function ListSearch({ screen, placeholder = 'Filter by name', words, onChange }: Props) {
  return (
    <div className={classes.filters} role="search">
      <SearchField
        screen={screen}
        label={`Search ${screen.toLowerCase()}`}
        placeholder={placeholder}
        words={words}
        onChange={onChange}
      />
    </div>
  );
}
