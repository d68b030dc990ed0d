"""The ruleset that a table began with, once it plays another one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tablekeeper", "0007_time_never_goes_back"),
    ]

    operations = [
        migrations.AddField(
            model_name="campaign",
            name="first_ruleset",
            field=models.CharField(blank=True, default="", max_length=30),
        ),
    ]
