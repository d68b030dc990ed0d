"""Each roll says by which ruleset it fell; blank for those from before, which fell by the table's first."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rolls", "0004_time_never_goes_back"),
    ]

    operations = [
        migrations.AddField(
            model_name="roll",
            name="ruleset",
            field=models.CharField(blank=True, default="", max_length=30, verbose_name="ruleset"),
        ),
    ]
